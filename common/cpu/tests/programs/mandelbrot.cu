// The Mandelbrot set, in colors; and how often Julia's iteration goes round, with a class for
// complex numbers as in many a book.
#include <stdio.h>
#include <stdlib.h>

#define DIM_X 120
#define DIM_Y 90
#define MAX_ITERATIONS 100

struct cuComplex {
    float   r;
    float   i;
    __host__ __device__ cuComplex( float a, float b ) : r(a), i(b)  {}
    __host__ __device__ float magnitude2( void ) const {
        return r * r + i * i;
    }
    __host__ __device__ cuComplex operator*(const cuComplex& a) const {
        return cuComplex(r*a.r - i*a.i, i*a.r + r*a.i);
    }
    __host__ __device__ cuComplex operator+(const cuComplex& a) const {
        return cuComplex(r+a.r, i+a.i);
    }
};

__host__ __device__ int julia( int x, int y ) {
    const float scale = 1.5;
    float jx = scale * (float)(DIM_X/2 - x)/(DIM_X/2);
    float jy = scale * (float)(DIM_Y/2 - y)/(DIM_Y/2);

    cuComplex c(-0.8, 0.156);
    cuComplex a(jx, jy);
    int i = 0;
    for (i=0; i<200; i++) {
        a = a * a + c;
        if (a.magnitude2() > 1000)
            return 0;
    }
    return 1;
}

__host__ __device__ int iterations( double x, double y ) {
    double zx = 0, zy = 0;
    int count = 0;
    while (zx * zx + zy * zy <= 4.0 && count < MAX_ITERATIONS) {
        double next = zx * zx - zy * zy + x;
        zy = 2 * zx * zy + y;
        zx = next;
        count++;
    }
    return count;
}

__device__ uchar3 color( int count ) {
    if (count == MAX_ITERATIONS) return make_uchar3(0, 0, 0);
    const float t = (float)count / MAX_ITERATIONS;
    return make_uchar3(__saturatef(9 * (1 - t) * t * t * t) * 255,
                       __saturatef(15 * (1 - t) * (1 - t) * t * t) * 255, 255 - count);
}

__global__ void mandelbrotKernel( int *counts, uchar3 *pixels ) {
    int x = threadIdx.x + blockIdx.x * blockDim.x;
    int y = threadIdx.y + blockIdx.y * blockDim.y;
    if (x >= DIM_X || y >= DIM_Y) return;
    int offset = x + y * DIM_X;
    counts[offset] = iterations( -2.0 + 3.0 * x / DIM_X, -1.2 + 2.4 * y / DIM_Y );
    pixels[offset] = color( counts[offset] );
}

__global__ void juliaKernel( unsigned char *ptr ) {
    // map from blockIdx to pixel position
    int x = blockIdx.x;
    int y = blockIdx.y;
    int offset = x + y * gridDim.x;

    int juliaValue = julia( x, y );
    ptr[offset*4 + 0] = 255 * juliaValue;
    ptr[offset*4 + 1] = 0;
    ptr[offset*4 + 2] = 0;
    ptr[offset*4 + 3] = 255;
}

static void HandleError( cudaError_t err, const char *file, int line ) {
    if (err != cudaSuccess) {
        printf( "%s in %s at line %d\n", cudaGetErrorString( err ), file, line );
        exit( EXIT_FAILURE );
    }
}
#define HANDLE_ERROR( err ) (HandleError( err, __FILE__, __LINE__ ))

int main( void ) {
    const int N = DIM_X * DIM_Y;
    int *dev_counts;
    uchar3 *dev_pixels;
    unsigned char *dev_bitmap;
    HANDLE_ERROR( cudaMalloc( (void**)&dev_counts, N * sizeof(int) ) );
    HANDLE_ERROR( cudaMalloc( (void**)&dev_pixels, N * sizeof(uchar3) ) );
    HANDLE_ERROR( cudaMalloc( (void**)&dev_bitmap, 4 * N ) );

    dim3 threads( 16, 16 );
    dim3 blocks( (DIM_X + threads.x - 1) / threads.x, (DIM_Y + threads.y - 1) / threads.y );
    mandelbrotKernel<<<blocks, threads>>>( dev_counts, dev_pixels );
    HANDLE_ERROR( cudaGetLastError() );
    dim3 grid( DIM_X, DIM_Y );
    juliaKernel<<<grid,1>>>( dev_bitmap );

    int *counts = (int*)malloc( N * sizeof(int) );
    uchar3 *pixels = (uchar3*)malloc( N * sizeof(uchar3) );
    unsigned char *bitmap = (unsigned char*)malloc( 4 * N );
    HANDLE_ERROR( cudaMemcpy( counts, dev_counts, N * sizeof(int), cudaMemcpyDeviceToHost ) );
    HANDLE_ERROR( cudaMemcpy( pixels, dev_pixels, N * sizeof(uchar3), cudaMemcpyDeviceToHost ) );
    HANDLE_ERROR( cudaMemcpy( bitmap, dev_bitmap, 4 * N, cudaMemcpyDeviceToHost ) );

    // On a GPU a product and a sum are one rounding, which moves a few points near the edge.
    int different = 0, inside = 0;
    for (int y = 0; y < DIM_Y; y++)
        for (int x = 0; x < DIM_X; x++) {
            int i = x + y * DIM_X;
            different += counts[i] != iterations( -2.0 + 3.0 * x / DIM_X, -1.2 + 2.4 * y / DIM_Y );
            different += bitmap[4 * i] != 255 * julia( x, y ) || bitmap[4 * i + 3] != 255;
            bool black = pixels[i].x == 0 && pixels[i].y == 0 && pixels[i].z == 0;
            different += black != (counts[i] == MAX_ITERATIONS);
            inside += black;
        }
    printf( "%d of %d inside, %d different\n", inside, N, different );

    HANDLE_ERROR( cudaFree( dev_counts ) );
    HANDLE_ERROR( cudaFree( dev_pixels ) );
    HANDLE_ERROR( cudaFree( dev_bitmap ) );
    free( counts ); free( pixels ); free( bitmap );
    return different > N / 100 || inside < N / 10;
}
