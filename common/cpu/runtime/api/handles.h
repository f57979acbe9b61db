// The live objects behind opaque handles, so that a stale handle is an error and not a crash.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

namespace cucpu {

template <class Object>
class Handles {
 public:
  Object* create(Object object) {
    auto owned = std::make_unique<Object>(object);
    Object* handle = owned.get();
    const std::lock_guard lock(mutex_);
    live_.emplace(handle, std::move(owned));
    return handle;
  }
  bool destroy(Object* handle) {
    const std::lock_guard lock(mutex_);
    return live_.erase(handle) != 0;
  }
  void destroy_all() {
    const std::lock_guard lock(mutex_);
    live_.clear();
  }
  bool is_live(Object* handle) {
    const std::lock_guard lock(mutex_);
    return live_.count(handle) != 0;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<Object*, std::unique_ptr<Object>> live_;
};

}  // namespace cucpu
