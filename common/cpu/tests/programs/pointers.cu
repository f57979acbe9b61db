// Which memory pointers lead to, and addresses inside a memory; whose clock is asked.
#include <cuda_runtime.h>
#include <time.h>

__device__ int global_variable;
__constant__ int constant_variable;
__shared__ int file_shared;

struct Memories { unsigned shared, global, local, constant; };

__device__ void ask(Memories *m, const void *p)
{
    m->shared = __isShared(p);
    m->global = __isGlobal(p);
    m->local = __isLocal(p);
    m->constant = __isConstant(p);
}

__global__ void pointers(Memories *m, int *wrong, int rounds)
{
    extern __shared__ int dynamic[];
    __shared__ int array[64];
    int own[4] = {1, 2, 3, rounds};
    if (rounds > 1) __syncthreads(); // on a stack of the thread's own
    if (threadIdx.x == 0)
    {
        ask(&m[0], &array[63]);
        ask(&m[1], &dynamic[2]);
        ask(&m[2], &file_shared);
        ask(&m[3], m);
        ask(&m[4], &global_variable);
        ask(&m[5], &own[threadIdx.x]);
        ask(&m[6], &constant_variable);
    }
    array[threadIdx.x] = threadIdx.x;
    const unsigned address = (unsigned)__cvta_generic_to_shared(&array[threadIdx.x]);
    const int *there = (const int *)__cvta_shared_to_generic(address);
    if (there != &array[threadIdx.x] || *there != (int)threadIdx.x) atomicAdd(wrong, 1);
    if (__cvta_generic_to_shared(&array[1]) - __cvta_generic_to_shared(&array[0]) != 4) atomicAdd(wrong, 1);
    if (__cvta_global_to_generic(__cvta_generic_to_global(m)) != m) atomicAdd(wrong, 1);
}

// A clock of the device ticks many times in a loop that takes the host's only a few.
__global__ void ticks(clock_t *elapsed, volatile int *sink)
{
    const clock_t begin = clock();
    const long long begin64 = clock64();
    for (int i = 0; i < 100000; i++) *sink = i;
    elapsed[1] = clock64() - begin64;
    elapsed[0] = clock() - begin;
}

int main()
{
    Memories *m;
    int *wrong;
    clock_t *elapsed;
    cudaMallocManaged(&m, 7 * sizeof(Memories));
    cudaMallocManaged(&wrong, 2 * sizeof(int));
    cudaMallocManaged(&elapsed, 2 * sizeof(clock_t));
    *wrong = 0;
    for (int rounds = 1; rounds < 3; rounds++)
    {
        pointers<<<1, 64, 64>>>(m, wrong, rounds);
        if (cudaDeviceSynchronize() != cudaSuccess || *wrong != 0) return 1;
        const Memories expected[] = {{1, 0, 0, 0}, {1, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
        for (int i = 0; i < 7; i++)
            if (!m[i].shared != !expected[i].shared || !m[i].global != !expected[i].global ||
                !m[i].local != !expected[i].local || !m[i].constant != !expected[i].constant)
                return 10 * rounds + i;
    }
    ticks<<<1, 1>>>(elapsed, wrong + 1);
    if (cudaDeviceSynchronize() != cudaSuccess || elapsed[0] < elapsed[1] || elapsed[0] > 2 * elapsed[1]) return 2;
    // On the host, clock() counts processor time in microseconds.
    const clock_t begin = clock();
    timespec now, end;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    const long long until = end.tv_sec * 1000000000LL + end.tv_nsec + 2000000;
    do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    while (now.tv_sec * 1000000000LL + now.tv_nsec < until);
    const clock_t host = clock() - begin;
    cudaFree(m);
    cudaFree(wrong);
    cudaFree(elapsed);
    return host >= 1900 && host < 1000000 ? 0 : 3;
}
