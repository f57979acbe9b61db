// k-means in two dimensions: distances against centroids in constant memory, sums in shared memory.
#include <algorithm>
#include <cassert>
#include <cfloat>
#include <cstdio>
#include <random>
#include <vector>
#include <cuda_runtime.h>

#define K 4
#define TPB 128
#define MAX_ITER 25

__constant__ float2 centroids[K];

__device__ float squared_distance(float2 a, float2 b)
{
    const float dx = a.x - b.x, dy = a.y - b.y;
    return dx * dx + dy * dy;
}

__global__ void assign_clusters(const float2 *points, int *assignment, int n, int *moved)
{
    const int idx = blockIdx.x*blockDim.x + threadIdx.x;
    int mine = 0;
    if (idx < n) {
        float best = FLT_MAX;
        int closest = -1;
        for (int c = 0; c < K; ++c) {
            const float d = squared_distance(points[idx], centroids[c]);
            if (d < best) { best = d; closest = c; }
        }
        mine = assignment[idx] != closest;
        assignment[idx] = closest;
    }
    if (__syncthreads_or(mine) && threadIdx.x == 0) atomicExch(moved, 1);
}

struct Sums { float x[K], y[K]; int size[K]; };

__global__ void sum_clusters(const float2 *points, const int *assignment, int n, Sums *sums)
{
    __shared__ Sums local;
    if (threadIdx.x < K) {
        local.x[threadIdx.x] = local.y[threadIdx.x] = 0;
        local.size[threadIdx.x] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x*blockDim.x + threadIdx.x; i < n; i += gridDim.x*blockDim.x) {
        const int c = assignment[i];
        atomicAdd(&local.x[c], points[i].x);
        atomicAdd(&local.y[c], points[i].y);
        atomicAdd(&local.size[c], 1);
    }
    __syncthreads();
    if (threadIdx.x < K) {
        const int c = threadIdx.x;
        atomicAdd(&sums->x[c], local.x[c]);
        atomicAdd(&sums->y[c], local.y[c]);
        atomicAdd(&sums->size[c], local.size[c]);
    }
}

int main()
{
    const int N = 4000;
    const float2 truth[K] = {{0, 0}, {10, 0}, {0, 10}, {10, 10}};
    std::mt19937 rng(5);
    std::normal_distribution<float> noise(0.0f, 1.0f);
    std::vector<float2> h_points(N);
    for (int i = 0; i < N; ++i)
        h_points[i] = {truth[i % K].x + noise(rng), truth[i % K].y + noise(rng)};

    float2 *d_points = 0;
    int *d_assignment = 0, *d_moved;
    Sums *d_sums, h_sums;
    cudaMalloc(&d_points, N*sizeof(float2));
    cudaMalloc(&d_assignment, N*sizeof(int));
    cudaMalloc(&d_moved, sizeof(int));
    cudaMalloc(&d_sums, sizeof(Sums));
    cudaMemcpy(d_points, h_points.data(), N*sizeof(float2), cudaMemcpyHostToDevice);
    cudaMemset(d_assignment, 0xff, N*sizeof(int));

    float2 h_centroids[K];
    std::copy_n(h_points.begin(), K, h_centroids);
    int iteration = 0;
    for (int moved = 1; moved && iteration < MAX_ITER; ++iteration) {
        cudaMemcpyToSymbol(centroids, h_centroids, K*sizeof(float2));
        cudaMemset(d_moved, 0, sizeof(int));
        cudaMemset(d_sums, 0, sizeof(Sums));
        assign_clusters<<<(N+TPB-1)/TPB,TPB>>>(d_points, d_assignment, N, d_moved);
        sum_clusters<<<8,TPB>>>(d_points, d_assignment, N, d_sums);
        cudaMemcpy(&moved, d_moved, sizeof(int), cudaMemcpyDeviceToHost);
        cudaMemcpy(&h_sums, d_sums, sizeof(Sums), cudaMemcpyDeviceToHost);
        for (int c = 0; c < K; ++c)
            h_centroids[c] = make_float2(h_sums.x[c] / h_sums.size[c], h_sums.y[c] / h_sums.size[c]);
    }

    std::vector<int> h_assignment(N);
    cudaMemcpy(h_assignment.data(), d_assignment, N*sizeof(int), cudaMemcpyDeviceToHost);
    int misplaced = 0;
    for (int i = 0; i < N; ++i) misplaced += h_assignment[i] != i % K;
    float off = 0;
    for (int c = 0; c < K; ++c) {
        printf("(%5.2f, %5.2f) with %d points\n", h_centroids[c].x, h_centroids[c].y, h_sums.size[c]);
        off = std::max({off, std::abs(h_centroids[c].x - truth[c].x), std::abs(h_centroids[c].y - truth[c].y)});
    }
    printf("%d iterations, %d misplaced\n", iteration, misplaced);
    cudaFree(d_points); cudaFree(d_assignment); cudaFree(d_moved); cudaFree(d_sums);
    return iteration == MAX_ITER || misplaced > 5 || off > 0.2f || cudaGetLastError() != cudaSuccess;
}
