// min and max for every mix of arguments that CUDA knows. As fmin and fmax do, those of floating
// point give the other argument where one is NaN. They are templates so that a program may have
// functions of its own of the same name and arguments, which then go before them.
#pragma once

template <int = 0>
int min(int a, int b) {
  return b < a ? b : a;
}
template <int = 0>
unsigned min(unsigned a, unsigned b) {
  return b < a ? b : a;
}
template <int = 0>
unsigned min(int a, unsigned b) {
  return min(static_cast<unsigned>(a), b);
}
template <int = 0>
unsigned min(unsigned a, int b) {
  return min(a, static_cast<unsigned>(b));
}
template <int = 0>
long min(long a, long b) {
  return b < a ? b : a;
}
template <int = 0>
unsigned long min(unsigned long a, unsigned long b) {
  return b < a ? b : a;
}
template <int = 0>
unsigned long min(long a, unsigned long b) {
  return min(static_cast<unsigned long>(a), b);
}
template <int = 0>
unsigned long min(unsigned long a, long b) {
  return min(a, static_cast<unsigned long>(b));
}
template <int = 0>
long long min(long long a, long long b) {
  return b < a ? b : a;
}
template <int = 0>
unsigned long long min(unsigned long long a, unsigned long long b) {
  return b < a ? b : a;
}
template <int = 0>
unsigned long long min(long long a, unsigned long long b) {
  return min(static_cast<unsigned long long>(a), b);
}
template <int = 0>
unsigned long long min(unsigned long long a, long long b) {
  return min(a, static_cast<unsigned long long>(b));
}
template <int = 0>
float min(float a, float b) {
  return b < a || a != a ? b : a;
}
template <int = 0>
double min(double a, double b) {
  return b < a || a != a ? b : a;
}
template <int = 0>
double min(float a, double b) {
  return min(static_cast<double>(a), b);
}
template <int = 0>
double min(double a, float b) {
  return min(a, static_cast<double>(b));
}

template <int = 0>
int max(int a, int b) {
  return a < b ? b : a;
}
template <int = 0>
unsigned max(unsigned a, unsigned b) {
  return a < b ? b : a;
}
template <int = 0>
unsigned max(int a, unsigned b) {
  return max(static_cast<unsigned>(a), b);
}
template <int = 0>
unsigned max(unsigned a, int b) {
  return max(a, static_cast<unsigned>(b));
}
template <int = 0>
long max(long a, long b) {
  return a < b ? b : a;
}
template <int = 0>
unsigned long max(unsigned long a, unsigned long b) {
  return a < b ? b : a;
}
template <int = 0>
unsigned long max(long a, unsigned long b) {
  return max(static_cast<unsigned long>(a), b);
}
template <int = 0>
unsigned long max(unsigned long a, long b) {
  return max(a, static_cast<unsigned long>(b));
}
template <int = 0>
long long max(long long a, long long b) {
  return a < b ? b : a;
}
template <int = 0>
unsigned long long max(unsigned long long a, unsigned long long b) {
  return a < b ? b : a;
}
template <int = 0>
unsigned long long max(long long a, unsigned long long b) {
  return max(static_cast<unsigned long long>(a), b);
}
template <int = 0>
unsigned long long max(unsigned long long a, long long b) {
  return max(a, static_cast<unsigned long long>(b));
}
template <int = 0>
float max(float a, float b) {
  return a < b || a != a ? b : a;
}
template <int = 0>
double max(double a, double b) {
  return a < b || a != a ? b : a;
}
template <int = 0>
double max(float a, double b) {
  return max(static_cast<double>(a), b);
}
template <int = 0>
double max(double a, float b) {
  return max(a, static_cast<double>(b));
}

template <int = 0>
unsigned umin(unsigned a, unsigned b) {
  return min(a, b);
}
template <int = 0>
unsigned long long ullmin(unsigned long long a, unsigned long long b) {
  return min(a, b);
}
template <int = 0>
long long llmin(long long a, long long b) {
  return min(a, b);
}
template <int = 0>
unsigned umax(unsigned a, unsigned b) {
  return max(a, b);
}
template <int = 0>
unsigned long long ullmax(unsigned long long a, unsigned long long b) {
  return max(a, b);
}
template <int = 0>
long long llmax(long long a, long long b) {
  return max(a, b);
}
