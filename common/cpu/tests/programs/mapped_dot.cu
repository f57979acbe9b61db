// A dot product as in a first book on CUDA: once with copies, once from host memory that the device
// sees ("zero copy"), each timed with events.
#include "stdio.h"
#include "stdlib.h"

#define imin(a,b) (a<b?a:b)
#define sum_squares(x)  (x*(x+1)*(2*x+1)/6)

static void HandleError( cudaError_t err,
                         const char *file,
                         int line ) {
    if (err != cudaSuccess) {
        printf( "%s in %s at line %d\n", cudaGetErrorString( err ),
                file, line );
        exit( EXIT_FAILURE );
    }
}
#define HANDLE_ERROR( err ) (HandleError( err, __FILE__, __LINE__ ))
#define HANDLE_NULL( a ) {if (a == NULL) { \
                            printf( "Host memory failed in %s at line %d\n", \
                                    __FILE__, __LINE__ ); \
                            exit( EXIT_FAILURE );}}

const int N = 33 * 256;
const int threadsPerBlock = 256;
const int blocksPerGrid =
            imin( 32, (N+threadsPerBlock-1) / threadsPerBlock );

__global__ void dot( int size, const double *a, const double *b, double *c ) {
    __shared__ double cache[threadsPerBlock];
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    int cacheIndex = threadIdx.x;

    double   temp = 0;
    while (tid < size) {
        temp += a[tid] * b[tid];
        tid += blockDim.x * gridDim.x;
    }

    // set the cache values
    cache[cacheIndex] = temp;

    // synchronize threads in this block
    __syncthreads();

    // for reductions, threadsPerBlock must be a power of 2
    // because of the following code
    int i = blockDim.x/2;
    while (i != 0) {
        if (cacheIndex < i)
            cache[cacheIndex] += cache[cacheIndex + i];
        __syncthreads();
        i /= 2;
    }

    if (cacheIndex == 0)
        c[blockIdx.x] = cache[0];
}

double malloc_test( int size ) {
    cudaEvent_t     start, stop;
    double          *a, *b, *partial_c, c = 0;
    double          *dev_a, *dev_b, *dev_partial_c;
    float           elapsedTime;

    HANDLE_ERROR( cudaEventCreate( &start ) );
    HANDLE_ERROR( cudaEventCreate( &stop ) );
    a = (double*)malloc( size*sizeof(double) );
    HANDLE_NULL( a );
    b = (double*)malloc( size*sizeof(double) );
    HANDLE_NULL( b );
    partial_c = (double*)malloc( blocksPerGrid*sizeof(double) );
    HANDLE_NULL( partial_c );
    HANDLE_ERROR( cudaMalloc( (void**)&dev_a, size*sizeof(double) ) );
    HANDLE_ERROR( cudaMalloc( (void**)&dev_b, size*sizeof(double) ) );
    HANDLE_ERROR( cudaMalloc( (void**)&dev_partial_c, blocksPerGrid*sizeof(double) ) );
    for (int i=0; i<size; i++) {
        a[i] = i;
        b[i] = i*2;
    }

    HANDLE_ERROR( cudaEventRecord( start, 0 ) );
    HANDLE_ERROR( cudaMemcpy( dev_a, a, size*sizeof(double), cudaMemcpyHostToDevice ) );
    HANDLE_ERROR( cudaMemcpy( dev_b, b, size*sizeof(double), cudaMemcpyHostToDevice ) );
    dot<<<blocksPerGrid,threadsPerBlock>>>( size, dev_a, dev_b, dev_partial_c );
    HANDLE_ERROR( cudaMemcpy( partial_c, dev_partial_c, blocksPerGrid*sizeof(double),
                              cudaMemcpyDeviceToHost ) );
    HANDLE_ERROR( cudaEventRecord( stop, 0 ) );
    HANDLE_ERROR( cudaEventSynchronize( stop ) );
    HANDLE_ERROR( cudaEventElapsedTime( &elapsedTime, start, stop ) );
    if (elapsedTime < 0) exit( EXIT_FAILURE );
    for (int i=0; i<blocksPerGrid; i++) {
        c += partial_c[i];
    }

    HANDLE_ERROR( cudaFree( dev_a ) );
    HANDLE_ERROR( cudaFree( dev_b ) );
    HANDLE_ERROR( cudaFree( dev_partial_c ) );
    free( a );
    free( b );
    free( partial_c );
    HANDLE_ERROR( cudaEventDestroy( start ) );
    HANDLE_ERROR( cudaEventDestroy( stop ) );
    return c;
}

double cuda_host_alloc_test( int size ) {
    double          *a, *b, c = 0, *partial_c;
    double          *dev_a, *dev_b, *dev_partial_c;
    HANDLE_ERROR( cudaHostAlloc( (void**)&a, size*sizeof(double),
                              cudaHostAllocWriteCombined | cudaHostAllocMapped ) );
    HANDLE_ERROR( cudaHostAlloc( (void**)&b, size*sizeof(double),
                              cudaHostAllocWriteCombined | cudaHostAllocMapped ) );
    HANDLE_ERROR( cudaHostAlloc( (void**)&partial_c, blocksPerGrid*sizeof(double),
                              cudaHostAllocMapped ) );
    HANDLE_ERROR( cudaHostGetDevicePointer( &dev_a, a, 0 ) );
    HANDLE_ERROR( cudaHostGetDevicePointer( &dev_b, b, 0 ) );
    HANDLE_ERROR( cudaHostGetDevicePointer( &dev_partial_c, partial_c, 0 ) );
    for (int i=0; i<size; i++) {
        a[i] = i;
        b[i] = i*2;
    }
    dot<<<blocksPerGrid,threadsPerBlock>>>( size, dev_a, dev_b, dev_partial_c );
    HANDLE_ERROR( cudaDeviceSynchronize() );
    for (int i=0; i<blocksPerGrid; i++) {
        c += partial_c[i];
    }
    HANDLE_ERROR( cudaFreeHost( a ) );
    HANDLE_ERROR( cudaFreeHost( b ) );
    HANDLE_ERROR( cudaFreeHost( partial_c ) );
    return c;
}

int main( void ) {
    cudaDeviceProp  prop;
    int whichDevice;
    HANDLE_ERROR( cudaGetDevice( &whichDevice ) );
    HANDLE_ERROR( cudaGetDeviceProperties( &prop, whichDevice ) );
    if (prop.canMapHostMemory != 1) {
        printf( "Device can not map memory.\n" );
        return 0;
    }
    HANDLE_ERROR( cudaSetDeviceFlags( cudaDeviceMapHost ) );

    double expected = 2 * sum_squares( (double)(N - 1) );
    double with_copies = malloc_test( N ), mapped = cuda_host_alloc_test( N );
    printf( "Does GPU value %.6g = %.6g?\n", with_copies, expected );
    return with_copies == expected && mapped == expected ? 0 : 1;
}
