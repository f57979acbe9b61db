#include "command_line.h"

#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <string_view>

#include "exit.h"
#include "help.h"

namespace cucpu {
namespace {

namespace fs = std::filesystem;

enum class Meaning {
  output,
  compile_only,
  compile_only_shared,  // -dc
  shared_device_variables,
  language,
  host_compiler,
  host_options,
  linker_options,
  standard,
  optimization,
  debug_info,
  device_debug_info,
  no_warnings,
  preprocessor,  // goes to the preprocessor, with its value
  include_folder,
  host_value,  // goes to the host's compiler, with its value
  library,
  library_folder,
  dependencies,  // -MD, -MMD
  dependency_file,
  dependency_target,
  lower_only,
  traced,
  run,
  dry_run,
  verbose,
  help,
  version,
  ignored,
  ignored_value,
  refused,
};

// Without their dashes; nvcc takes values as `-name value` and as `-name=value`.
const std::map<std::string_view, Meaning> kOptions = {
    {"o", Meaning::output},
    {"output-file", Meaning::output},
    {"c", Meaning::compile_only},
    {"compile", Meaning::compile_only},
    {"dw", Meaning::compile_only},
    {"device-w", Meaning::compile_only},
    {"dc", Meaning::compile_only_shared},
    {"device-c", Meaning::compile_only_shared},
    {"rdc", Meaning::shared_device_variables},
    {"relocatable-device-code", Meaning::shared_device_variables},
    {"x", Meaning::language},
    {"ccbin", Meaning::host_compiler},
    {"compiler-bindir", Meaning::host_compiler},
    {"Xcompiler", Meaning::host_options},
    {"compiler-options", Meaning::host_options},
    {"Xlinker", Meaning::linker_options},
    {"linker-options", Meaning::linker_options},
    {"std", Meaning::standard},
    {"O", Meaning::optimization},
    {"optimize", Meaning::optimization},
    {"debug", Meaning::debug_info},
    {"G", Meaning::device_debug_info},
    {"device-debug", Meaning::device_debug_info},
    {"disable-warnings", Meaning::no_warnings},
    {"I", Meaning::include_folder},
    {"include-path", Meaning::include_folder},
    {"D", Meaning::preprocessor},
    {"define-macro", Meaning::preprocessor},
    {"U", Meaning::preprocessor},
    {"undefine-macro", Meaning::preprocessor},
    {"include", Meaning::preprocessor},
    {"pre-include", Meaning::preprocessor},
    {"isystem", Meaning::preprocessor},
    {"system-include", Meaning::preprocessor},
    {"iquote", Meaning::preprocessor},
    {"idirafter", Meaning::preprocessor},
    {"imacros", Meaning::preprocessor},
    {"param", Meaning::host_value},
    {"l", Meaning::library},
    {"library", Meaning::library},
    {"L", Meaning::library_folder},
    {"library-path", Meaning::library_folder},
    {"MD", Meaning::dependencies},
    {"MMD", Meaning::dependencies},
    {"generate-dependencies-with-compile", Meaning::dependencies},
    {"generate-nonsystem-dependencies-with-compile", Meaning::dependencies},
    {"MF", Meaning::dependency_file},
    {"dependency-output", Meaning::dependency_file},
    {"MT", Meaning::dependency_target},
    {"dependency-target-name", Meaning::dependency_target},
    {"cuda", Meaning::lower_only},
    {"traced", Meaning::traced},
    {"run", Meaning::run},
    {"dryrun", Meaning::dry_run},
    {"dry-run", Meaning::dry_run},
    {"v", Meaning::verbose},
    {"verbose", Meaning::verbose},
    {"h", Meaning::help},
    {"help", Meaning::help},
    {"V", Meaning::version},
    {"version", Meaning::version},
    // Options about GPUs, or about how nvcc works.
    {"link", Meaning::ignored},
    {"lineinfo", Meaning::ignored},
    {"generate-line-info", Meaning::ignored},
    {"use_fast_math", Meaning::ignored},
    {"expt-relaxed-constexpr", Meaning::ignored},
    {"expt-extended-lambda", Meaning::ignored},
    {"extended-lambda", Meaning::ignored},
    {"extra-device-vectorization", Meaning::ignored},
    {"restrict", Meaning::ignored},
    {"dlto", Meaning::ignored},
    {"dlink-time-opt", Meaning::ignored},
    {"src-in-ptx", Meaning::ignored},
    {"source-in-ptx", Meaning::ignored},
    {"res-usage", Meaning::ignored},
    {"resource-usage", Meaning::ignored},
    {"allow-unsupported-compiler", Meaning::ignored},
    {"keep", Meaning::ignored},
    {"save-temps", Meaning::ignored},
    {"noprof", Meaning::ignored},
    {"err-no", Meaning::ignored},
    {"display-error-number", Meaning::ignored},
    {"no-err-no", Meaning::ignored},
    {"no-display-error-number", Meaning::ignored},
    {"ewp", Meaning::ignored},
    {"extensible-whole-program", Meaning::ignored},
    {"forward-unknown-to-host-compiler", Meaning::ignored},
    {"forward-unknown-to-host-linker", Meaning::ignored},
    {"forward-unknown-opts", Meaning::ignored},
    {"Wno-deprecated-gpu-targets", Meaning::ignored},
    {"Wdefault-stream-launch", Meaning::ignored},
    {"Wmissing-launch-bounds", Meaning::ignored},
    {"Wext-lambda-captures-this", Meaning::ignored},
    {"arch", Meaning::ignored_value},
    {"gpu-architecture", Meaning::ignored_value},
    {"code", Meaning::ignored_value},
    {"gpu-code", Meaning::ignored_value},
    {"gencode", Meaning::ignored_value},
    {"generate-code", Meaning::ignored_value},
    {"maxrregcount", Meaning::ignored_value},
    {"Xptxas", Meaning::ignored_value},
    {"Xcudafe", Meaning::ignored_value},
    {"ptxas-options", Meaning::ignored_value},
    {"Xnvlink", Meaning::ignored_value},
    {"nvlink-options", Meaning::ignored_value},
    {"Xfatbin", Meaning::ignored_value},
    {"fatbin-options", Meaning::ignored_value},
    {"ftz", Meaning::ignored_value},
    {"prec-div", Meaning::ignored_value},
    {"prec-sqrt", Meaning::ignored_value},
    {"fmad", Meaning::ignored_value},
    {"default-stream", Meaning::ignored_value},
    {"cudart", Meaning::ignored_value},
    {"cudadevrt", Meaning::ignored_value},
    {"t", Meaning::ignored_value},
    {"threads", Meaning::ignored_value},
    {"split-compile", Meaning::ignored_value},
    {"keep-dir", Meaning::ignored_value},
    {"opt-info", Meaning::ignored_value},
    {"optimization-info", Meaning::ignored_value},
    {"diag-suppress", Meaning::ignored_value},
    {"diag-warn", Meaning::ignored_value},
    {"diag-error", Meaning::ignored_value},
    {"static-global-template-stub", Meaning::ignored_value},
    {"cubin", Meaning::refused},
    {"fatbin", Meaning::refused},
    {"ptx", Meaning::refused},
    {"optix-ir", Meaning::refused},
    {"ltoir", Meaning::refused},
    {"dlink", Meaning::refused},
    {"device-link", Meaning::refused},
    {"lib", Meaning::refused},
    {"E", Meaning::refused},
    {"preprocess", Meaning::refused},
    {"M", Meaning::refused},
    {"MM", Meaning::refused},
    {"generate-dependencies", Meaning::refused},
    {"generate-nonsystem-dependencies", Meaning::refused},
};
// Nothing of these is needed here.
const std::set<std::string_view> kCudaLibraries = {"cudart", "cudart_static", "cudadevrt", "cuda",
                                                   "curand"};
// On the host's BLAS.
const std::set<std::string_view> kBlasLibraries = {"cublas", "cublas_static"};
const std::set<std::string_view> kHostSources = {".c", ".cc", ".cpp", ".cxx", ".C"};

class CommandLineParser {
 public:
  CommandLineParser(int argc, char** argv) : arguments_(argv + 1, argv + argc) {}

  CommandLine parse() {
    while (at_ < arguments_.size()) {
      const std::string argument = arguments_[at_++];
      if (argument.size() > 1 && argument[0] == '-')
        option(argument);
      else
        input(argument);
    }
    check();
    return line_;
  }

 private:
  void option(const std::string& argument) {
    // -arch=sm_90, --run
    std::string name = argument.substr(argument.starts_with("--") ? 2 : 1);
    const std::size_t equals = name.find('=');
    const bool has_value = equals != std::string::npos;
    std::string value = has_value ? name.substr(equals + 1) : "";
    name = name.substr(0, equals);
    auto known = kOptions.find(name);
    // -Idir, -DN=3, -O2
    constexpr std::string_view kJoined = "oIDULlOx";
    if (known == kOptions.end() && !argument.starts_with("--") && argument.size() > 2 &&
        kJoined.find(argument[1]) != std::string_view::npos) {
      known = kOptions.find(std::string_view(argument).substr(1, 1));
      value = argument.substr(2);
      apply(known->second, argument.substr(0, 2), value, true);
    } else if (known != kOptions.end()) {
      apply(known->second, argument.substr(0, argument.find('=')), value, has_value);
    } else if (name == "Werror" && at_ < arguments_.size() &&
               kErrorKinds.contains(arguments_[at_])) {
      ++at_;
    } else if (name == "Werror" && kErrorKinds.contains(value)) {
      return;
    } else if (argument.starts_with("-Wl,")) {
      line_.inputs.push_back({Input::Kind::for_linker, argument});
    } else {
      line_.flags.push_back(argument);
    }
  }

  // `option` is as the user spelled it.
  void apply(Meaning meaning, const std::string& option, std::string value, bool has_value) {
    const auto take = [&] {
      if (has_value) return value;
      if (at_ == arguments_.size()) refuse(option + ": needs a value");
      return arguments_[at_++];
    };
    switch (meaning) {
      case Meaning::output:
        line_.output = take();
        break;
      case Meaning::compile_only_shared:
        line_.shared_device_variables = true;
        [[fallthrough]];
      case Meaning::compile_only:
        line_.compile_only = true;
        break;
      case Meaning::shared_device_variables:
        line_.shared_device_variables = take() == "true";
        break;
      case Meaning::language:
        language_ = take();
        break;
      case Meaning::host_compiler:
        line_.host_compiler = {take()};
        break;
      case Meaning::host_options:
        for (const std::string& words : split(take(), ','))  // nvcc cuts at blanks, too
          append(line_.flags, split(words, ' '));
        break;
      case Meaning::linker_options:
        for (const std::string& word : split(take(), ','))
          for (const std::string& text : {std::string("-Xlinker"), word})
            line_.inputs.push_back({Input::Kind::for_linker, text});
        break;
      case Meaning::standard:
        value = take();
        if (!kOlderStandards.contains(value)) line_.flags.push_back("-std=" + value);
        break;
      case Meaning::optimization:
        // A plain -O, which nvcc does not know, is the host compiler's.
        if (has_value || option.starts_with("--")) value = take();
        line_.flags.push_back("-O" + value);
        break;
      case Meaning::debug_info:
        line_.flags.push_back("-g");
        break;
      case Meaning::device_debug_info:
        append(line_.flags, {"-g", "-O0"});
        break;
      case Meaning::no_warnings:
        line_.flags.push_back("-w");
        break;
      case Meaning::include_folder:
        value = take();
        append(line_.preprocessor_flags, {is_of_toolkit(value) ? "-idirafter" : "-I", value});
        break;
      case Meaning::preprocessor:
        append(line_.preprocessor_flags, {host_spelling(option), take()});
        break;
      case Meaning::host_value:
        append(line_.flags, {option, take()});
        break;
      case Meaning::library:
        value = take();
        if (kBlasLibraries.contains(value)) value = "blas";
        if (!kCudaLibraries.contains(value))
          line_.inputs.push_back({Input::Kind::for_linker, "-l" + value});
        break;
      case Meaning::library_folder:
        line_.inputs.push_back({Input::Kind::for_linker, "-L" + take()});
        break;
      case Meaning::dependencies:
        line_.dependency_flag = option.find("-n") == 1 || option == "-MMD" ? "-MMD" : "-MD";
        break;
      case Meaning::dependency_file:
        line_.dependency_file = take();
        break;
      case Meaning::dependency_target:
        line_.dependency_target = take();
        break;
      case Meaning::lower_only:
        line_.lower_only = true;
        break;
      case Meaning::traced:
        line_.traced = true;
        break;
      case Meaning::run:
        line_.run = true;
        break;
      case Meaning::dry_run:
        line_.dry_run = true;
        break;
      case Meaning::verbose:
        line_.verbose = true;
        break;
      case Meaning::help:
        std::cout << kHelp;
        throw Exit{0};
      case Meaning::version:
        std::cout << "cucpu " CUCPU_VERSION "\n";
        throw Exit{0};
      case Meaning::ignored:
        break;
      case Meaning::ignored_value:
        take();
        break;
      case Meaning::refused:
        refuse(option + ": not here; cucpu makes programs, objects (-c) and C++ (--cuda)");
    }
  }

  // A CUDA Toolkit's headers come after ours.
  static bool is_of_toolkit(const fs::path& folder) {
    for (const char* header : {"cuda_runtime.h", "thrust/version.h", "cub/version.cuh"})
      if (fs::exists(folder / header)) return true;
    return false;
  }

  static std::string host_spelling(const std::string& option) {
    if (option == "--define-macro") return "-D";
    if (option == "--undefine-macro") return "-U";
    if (option == "--pre-include") return "-include";
    if (option == "--system-include") return "-isystem";
    return option;
  }

  void input(const std::string& argument) {
    if (!fs::exists(argument)) refuse(argument + ": no such file");
    const std::string suffix = fs::path(argument).extension().string();
    const bool is_cuda = language_ == "cu" || (language_.empty() && suffix == ".cu");
    const bool is_source = !language_.empty() || kHostSources.contains(suffix);
    line_.inputs.push_back({is_cuda     ? Input::Kind::cuda
                            : is_source ? Input::Kind::host_source
                                        : Input::Kind::for_linker,
                            argument});
  }

  void check() {
    std::size_t files = 0;
    std::size_t sources = 0;
    for (const Input& input : line_.inputs) {
      files += !input.text.starts_with("-");
      sources += input.kind != Input::Kind::for_linker;
    }
    if (files == 0) refuse("no input file; name a .cu file, or see cucpu --help");
    const bool one_output_a_file = line_.compile_only || line_.lower_only;
    if (one_output_a_file && sources == 0) refuse("no source file to compile");
    if (one_output_a_file && !line_.output.empty() && sources > 1)
      refuse("-o " + line_.output + ": one output for several source files");
    for (const Input& input : line_.inputs)
      if (fs::path(input.text) == line_.output)
        refuse("-o " + line_.output + ": would overwrite an input file");
    if (line_.dependency_flag.empty() && !line_.dependency_file.empty())
      line_.dependency_flag = "-MD";
  }

  const std::set<std::string_view> kOlderStandards = {"c++03",   "c++11",   "c++14",   "c++17",
                                                      "gnu++03", "gnu++11", "gnu++14", "gnu++17"};
  const std::set<std::string_view> kErrorKinds = {
      "all-warnings",          "cross-execution-space-call", "deprecated-declarations", "reorder",
      "default-stream-launch", "ext-lambda-captures-this",   "missing-launch-bounds"};

  const Words arguments_;
  std::size_t at_ = 0;
  std::string language_;  // of -x
  CommandLine line_;
};

}  // namespace

CommandLine parse_command_line(int argc, char** argv) {
  return CommandLineParser(argc, argv).parse();
}

}  // namespace cucpu
