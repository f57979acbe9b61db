// Spheres in constant memory, a ray for each pixel, with classes for vectors and for what rays hit.
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <vector>

#define INF 2e10f
#define rnd(x) ((x) * rand() / static_cast<float>(RAND_MAX))
#define SPHERES 12
#define DIM 96

// limited version of checkCudaErrors from helper_cuda.h in CUDA examples
#define checkCudaErrors(val) check_cuda( (val), #val, __FILE__, __LINE__ )
void check_cuda(cudaError_t result, char const *const func, const char *const file, int const line) {
    if (result) {
        std::cerr << "CUDA error = " << static_cast<unsigned int>(result) << " at " <<
        file << ":" << line << " '" << func << "' \n";
        // Make sure we call CUDA Device Reset before exiting
        cudaDeviceReset();
        exit(99);
    }
}

class vec3 {
  public:
    __host__ __device__ vec3() {}
    __host__ __device__ vec3(float e0, float e1, float e2) { e[0] = e0; e[1] = e1; e[2] = e2; }
    __host__ __device__ inline float x() const { return e[0]; }
    __host__ __device__ inline float y() const { return e[1]; }
    __host__ __device__ inline float z() const { return e[2]; }
    __host__ __device__ inline vec3 operator-() const { return vec3(-e[0], -e[1], -e[2]); }
    __host__ __device__ inline float operator[](int i) const { return e[i]; }
    __host__ __device__ inline float &operator[](int i) { return e[i]; }
    __host__ __device__ inline float length() const { return sqrtf(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]); }
    float e[3];
};

__host__ __device__ inline vec3 operator+(const vec3 &a, const vec3 &b) { return vec3(a.e[0] + b.e[0], a.e[1] + b.e[1], a.e[2] + b.e[2]); }
__host__ __device__ inline vec3 operator-(const vec3 &a, const vec3 &b) { return vec3(a.e[0] - b.e[0], a.e[1] - b.e[1], a.e[2] - b.e[2]); }
__host__ __device__ inline vec3 operator*(float t, const vec3 &v) { return vec3(t * v.e[0], t * v.e[1], t * v.e[2]); }
__host__ __device__ inline float dot(const vec3 &a, const vec3 &b) { return a.e[0] * b.e[0] + a.e[1] * b.e[1] + a.e[2] * b.e[2]; }

struct ray { vec3 origin, direction; };

struct Sphere {
    vec3 center;
    vec3 color;
    float radius;
    // The distance along the ray, and the cosine of the angle at which it hits.
    __host__ __device__ float hit(const ray &r, float *n) const {
        const vec3 oc = center - r.origin;
        const float along = dot(oc, r.direction), off2 = dot(oc, oc) - along * along;
        if (off2 < radius * radius) {
            const float dz = sqrtf(radius * radius - off2);
            *n = dz / radius;
            return along - dz;
        }
        return INF;
    }
};

__constant__ char s_raw[SPHERES * sizeof(Sphere)];

template <typename Spheres>
__host__ __device__ vec3 trace(const ray &r, Spheres s) {
    vec3 c(0, 0, 0);
    float nearest = INF;
    for (int i = 0; i < SPHERES; i++) {
        float n;
        const float t = s[i].hit(r, &n);
        if (t < nearest) {
            c = n * s[i].color;
            nearest = t;
        }
    }
    return c;
}

__host__ __device__ ray camera(int x, int y) {
    ray r;
    r.origin = vec3(x - DIM / 2 + 0.5f, y - DIM / 2 + 0.5f, -1000);
    r.direction = vec3(0, 0, 1);
    return r;
}

__global__ void render(uchar4 *fb) {
    int x = threadIdx.x + blockIdx.x * blockDim.x;
    int y = threadIdx.y + blockIdx.y * blockDim.y;
    if ((x >= DIM) || (y >= DIM)) return;
    const vec3 c = trace(camera(x, y), reinterpret_cast<const Sphere *>(s_raw));
    fb[x + y * DIM] = make_uchar4((int)(c.x() * 255), (int)(c.y() * 255), (int)(c.z() * 255), 255);
}

int main() {
    Sphere *temp_s = (Sphere *)malloc(sizeof(Sphere) * SPHERES);
    srand(3);
    for (int i = 0; i < SPHERES; i++) {
        temp_s[i].color = vec3(rnd(1.0f), rnd(1.0f), rnd(1.0f));
        temp_s[i].center = vec3(rnd(80.0f) - 40, rnd(80.0f) - 40, rnd(80.0f) - 40);
        temp_s[i].radius = rnd(12.0f) + 4;
    }
    checkCudaErrors(cudaMemcpyToSymbol(s_raw, temp_s, sizeof(Sphere) * SPHERES));

    uchar4 *fb;
    size_t fb_size = DIM * DIM * sizeof(uchar4);
    checkCudaErrors(cudaMallocManaged((void **)&fb, fb_size));
    int tx = 8, ty = 8;
    dim3 blocks(DIM / tx + 1, DIM / ty + 1), threads(tx, ty);
    render<<<blocks, threads>>>(fb);
    checkCudaErrors(cudaGetLastError());
    checkCudaErrors(cudaDeviceSynchronize());

    int different = 0, lit = 0;
    for (int y = 0; y < DIM; y++)
        for (int x = 0; x < DIM; x++) {
            const vec3 c = trace(camera(x, y), temp_s);
            const uchar4 p = fb[x + y * DIM];
            const int d = std::max({abs(p.x - (int)(c[0] * 255)), abs(p.y - (int)(c[1] * 255)), abs(p.z - (int)(c[2] * 255))});
            different += d > 1;
            lit += p.x + p.y + p.z > 0;
        }
    std::cout << lit << " pixels lit, " << different << " different\n";
    free(temp_s);
    checkCudaErrors(cudaFree(fb));
    cudaDeviceReset();
    return different > 20 || lit < 500;
}
