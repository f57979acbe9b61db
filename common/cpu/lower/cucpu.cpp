// cucpu: compiles CUDA programs for the CPU, with the command line of nvcc.
//
// Each .cu file is preprocessed, lowered to C++ (lower.h) and compiled by the host's compiler; then
// everything is linked with the runtime (common/cpu/runtime).
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "host/temporary_folder.h"
#include "lower.h"
#include "preprocessor_messages.h"
#include "twin_object.h"

extern char** environ;

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr const char* kHelp = R"(usage: cucpu FILE.cu... [-o PROGRAM] [options]

Compiles CUDA programs for the CPU: no GPU and no CUDA Toolkit are needed.

  cucpu saxpy.cu && ./a.out
  cucpu -O2 -g saxpy.cu -o saxpy
  cucpu -c kernels.cu && cucpu main.cu kernels.o -o program

Options that are cucpu's or nvcc's:
  -o FILE               the program (default: a.out), or the object with -c
  -c, -dc               compile only: FILE.o for each FILE.cu
  -rdc=true             files may share __device__ variables by `extern`
  -x cu                 the next files are CUDA, whatever their names end in
  -ccbin COMPILER       the host's compiler (default: CXX, else what built this)
  -Xcompiler A,B        options for the host's compiler; -Xlinker A,B: for its
                        linker
  -G                    code for debuggers: -g -O0
  --cuda                preprocess and lower to C++ only, into -o (default:
                        FILE.cu.cpp)
  --traced              with -c or --cuda: what the traced twin is made of
  --run                 run the program, too
  --dry-run, --verbose  show the commands, and run none or all of them
  --help, --version

Options that are about GPUs (-arch, -gencode, -Xptxas, -lineinfo,
--use_fast_math, ...) and -lcudart have no effect. All others, as -O2 -g -Wall
-I -D -L -l, go to the host's compiler. The default is -O3; language standards
older than C++20 count as C++20. Other sources, objects and libraries are
compiled and linked as usual.

There are no floats of 16 bits and less, tensor cores, clusters, launches from
kernels, textures, graphs, PTX, nor libraries as cuBLAS or Thrust: a program
that needs them is refused with a line that says where.

A program reads from its environment:
  CUCPU_THREADS=N           host threads that run blocks
  CUCPU_SMS=N               multiprocessors the device says it has
  CUCPU_ORDER=ORDER         order of the threads of a block: ascending,
                            descending or random:SEED
  CUCPU_TIMEOUT=SECONDS     longest time without a block's end
  CUCPU_TOOLS=TOOL,...      what else to do while it runs:
    counters                print what each launch did, at exit
    memcheck, racecheck,
    initcheck, synccheck    print what it did wrong
    all                     all of these
    leakcheck               memcheck; memory that is not freed is an error, too
    accesses                write what the first block accesses to CUCPU_JSON
  CUCPU_JSON=FILE           write it all there, too, one JSON object a line
With CUCPU_TOOLS it hands over to its traced twin, which g++ puts beside it as
PROGRAM.traced, and for which objects that -c makes bring along what it takes.

Exit codes: 0 all right; 1 the program cannot be compiled; 2 bad usage. A
program in which a checker found an error ends with 1.
)";

// Ends the program from wherever it is, with its temporary files removed.
struct Exit {
  int status;
};

[[noreturn]] void refuse(const std::string& message) {
  std::cerr << "error: " << message << '\n';
  throw Exit{2};
}

// --- the command line ---------------------------------------------------------------------------

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
    // What is about GPUs, or about how nvcc works.
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
const std::set<std::string_view> kCudaLibraries = {"cudart", "cudart_static", "cudadevrt", "cuda"};
const std::set<std::string_view> kHostSources = {".c", ".cc", ".cpp", ".cxx", ".C"};

struct Input {
  enum class Kind { cuda, host_source, for_linker } kind;
  std::string text;  // a file, or an option of the linker
};

struct CommandLine {
  std::vector<Input> inputs;  // in order, which matters for libraries
  Words host_compiler;
  Words preprocessor_flags;
  Words flags;  // for every compilation, and for the linker
  std::string output;
  std::string dependency_flag;
  std::string dependency_file;
  std::string dependency_target;
  bool shared_device_variables = false;
  bool compile_only = false;
  bool lower_only = false;
  bool traced = false;
  bool run = false;
  bool dry_run = false;
  bool verbose = false;
};

Words split(const std::string& text, char separator) {
  Words words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, separator);)
    if (!word.empty()) words.push_back(word);
  return words;
}

void append(Words& list, const Words& more) { list.insert(list.end(), more.begin(), more.end()); }

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
        append(line_.flags, split(take(), ','));
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

// --- compilation ---------------------------------------------------------------------------------

class Compiler {
 public:
  explicit Compiler(const CommandLine& line) : line_(line), compiler_(line.host_compiler) {
    const char* environment = std::getenv("CXX");
    if (compiler_.empty() && environment != nullptr) compiler_ = split(environment, ' ');
    if (compiler_.empty()) compiler_ = split(CUCPU_CXX, ' ');
  }

  void run() {
    Words for_linker;
    for (const Input& input : line_.inputs) {
      if (input.kind == Input::Kind::for_linker)
        for_linker.push_back(input.text);
      else if (line_.lower_only && input.kind == Input::Kind::cuda)
        lower(input.text, output_of(input, ".cu.cpp"), line_.traced);
      else if (!line_.lower_only)
        for_linker.push_back(object_of(input));
    }
    if (line_.compile_only || line_.lower_only) return;
    link(for_linker, program());
    make_twin(for_linker);
    if (line_.run) execute({fs::absolute(program()).string()});
  }

 private:
  std::string program() const { return line_.output.empty() ? "a.out" : line_.output; }

  // Clang reports accesses otherwise than the counting rules take them.
  bool is_gcc() const {
    return fs::path(compiler_.front()).filename().string().find("clang") == std::string::npos;
  }

  // --- the twin --------------------------------------------------------------------------------

  // The same program again, with its kernels traced. The user has asked for none, so that it is no
  // failure if there is none.
  void make_twin(Words for_linker) {
    if (!is_gcc()) return;
    const std::string twin = program() + ".traced";
    try {
      bool has_kernels = false;
      for (std::size_t i = 0; i < line_.inputs.size(); ++i) {
        const Input& input = line_.inputs[i];
        has_kernels |= input.kind == Input::Kind::cuda;
        if (input.kind != Input::Kind::for_linker && !is_c(input)) {
          for_linker[i] = compile(input, true, temporary_object(input));
        } else if (input.kind == Input::Kind::for_linker) {
          const std::string traced = traced_form(input.text);
          if (traced.empty()) continue;
          for_linker[i] = traced;
          has_kernels = true;
        }
      }
      if (has_kernels) link(for_linker, twin);
    } catch (const Exit&) {
      std::error_code ignored;
      fs::remove(twin, ignored);  // of an older version
      std::cerr << "warning: " << twin << ": cannot be built, so that CUCPU_TOOLS has no effect\n";
    }
  }

  // The object that twins are linked of in place of this one becomes a part of it.
  void put_twin_into(const std::string& object, const Input& input) {
    try {
      const std::string twin = compile(input, true, temporary_object(input));
      const std::string section = cucpu::kTwinSection;
      execute({"objcopy", "--add-section", section + "=" + twin, "--set-section-flags",
               section + "=exclude,noload,readonly", object});
    } catch (const Exit&) {
      std::cerr << "warning: " << object
                << ": cannot be traced, so that CUCPU_TOOLS will not see its kernels\n";
    }
  }

  // The file to link a twin of in place of this one, or of the library that `-lname` names; empty
  // if it is the same.
  std::string traced_form(const std::string& file) {
    if (line_.dry_run) return {};
    if (file.starts_with("-l")) return traced_archive(library_of(file.substr(2)));
    if (file.starts_with("-")) return {};
    const std::string bytes = read(file);
    if (const auto twin = cucpu::twin_object(bytes)) return temporary_file(".o", *twin);
    return traced_archive(file);
  }

  std::string traced_archive(const std::string& file) {
    const std::string bytes = file.empty() ? std::string() : read(file);
    bool has_kernels = false;
    Words members;
    for (const std::string_view member : cucpu::archive_members(bytes)) {
      const auto twin = cucpu::twin_object(member);
      has_kernels |= twin.has_value();
      members.push_back(temporary_file(".o", twin.value_or(member)));
    }
    if (!has_kernels) return {};
    const std::string archive = temporary_file(".a", "!<arch>\n");
    Words command = {"ar", "rcs", archive};
    append(command, members);
    execute(command);
    return archive;
  }

  // The archive that the linker takes for -lname, from the folders that the user names.
  std::string library_of(const std::string& name) const {
    for (const Input& input : line_.inputs) {
      if (!input.text.starts_with("-L")) continue;
      const fs::path folder = input.text.substr(2);
      if (fs::exists(folder / ("lib" + name + ".so"))) return {};
      if (fs::exists(folder / ("lib" + name + ".a"))) return folder / ("lib" + name + ".a");
    }
    return {};
  }

  std::string temporary_file(const std::string& suffix, std::string_view content) {
    const std::string path = (folder_.path() / (std::to_string(files_++) + suffix)).string();
    write(path, content);
    return path;
  }

  // --- steps -----------------------------------------------------------------------------------

  // Where the only output for this file goes.
  std::string output_of(const Input& input, const std::string& suffix) const {
    return line_.output.empty() ? fs::path(input.text).stem().string() + suffix : line_.output;
  }

  std::string temporary_object(const Input& input) {
    return (folder_.path() /
            (std::to_string(files_++) + "-" + fs::path(input.text).stem().string() + ".o"))
        .string();
  }

  // What is linked of this file, or what -c makes of it.
  std::string object_of(const Input& input) {
    if (!line_.compile_only) return compile(input, line_.traced, temporary_object(input));
    const std::string object = compile(input, line_.traced, output_of(input, ".o"));
    const bool has_twin = input.kind == Input::Kind::cuda && !line_.traced && is_gcc();
    if (has_twin) put_twin_into(object, input);
    return object;
  }

  // Drivers of C++ compilers take .c files for C++.
  static bool is_c(const Input& input) {
    return input.kind == Input::Kind::host_source && fs::path(input.text).extension() == ".c";
  }

  // Into `object`, which is returned.
  std::string compile(const Input& input, bool traced, const std::string& object) {
    Words command = is_c(input) ? c_compiler_command() : compiler_command();
    if (input.kind == Input::Kind::cuda) {
      const std::string lowered = temporary_object(input) + ".lowered.ii";
      lower(input.text, lowered, traced);
      if (traced) append(command, split(CUCPU_TRACED_ARGS, ' '));
      append(command, {"-x", "c++-cpp-output", "-c", lowered});
    } else {
      append(command, line_.preprocessor_flags);
      append(command, {"-isystem", CUCPU_INCLUDE_DIR});
      if (is_c(input)) append(command, {"-x", "c"});
      append(command, {"-c", input.text});
    }
    // Vectors are not passed in registers there.
    if (traced) append(command, {"-DCUCPU_TRACED"});
    // All has been said when the program itself was compiled.
    if (traced && !line_.traced) append(command, {"-w"});
    append(command, {"-o", object});
    execute(command);
    return object;
  }

  Words compiler_command() const {
    Words command = compiler_;
    // CUDA programs look at memory through pointers of other types, which nvcc lets them do.
    append(command, {"-std=c++20", "-O3", "-fno-strict-aliasing", "-pthread"});
    append(command, line_.flags);
    return command;
  }

  Words c_compiler_command() const {
    Words command = compiler_;
    append(command, {"-std=c17", "-O3", "-fno-strict-aliasing", "-pthread"});
    for (const std::string& flag : line_.flags)
      if (!flag.starts_with("-std=")) command.push_back(flag);
    return command;
  }

  void lower(const std::string& file, const std::string& lowered, bool traced) {
    const std::string preprocessed =
        (folder_.path() / (fs::path(file).filename().string() + ".ii")).string();
    Words command = compiler_command();
    append(command, line_.preprocessor_flags);
    append(command, {"-D__CUCPU__", "-D__CUDACC__", "-D__CUDACC_EXTENDED_LAMBDA__",
                     "-D__CUDACC_RELAXED_CONSTEXPR__", "-isystem", CUCPU_INCLUDE_DIR,
                     // nvcc includes cuda_runtime.h by itself.
                     "-include", "cuda_runtime.h", "-include", "cucpu/lowered.h"});
    if (traced) append(command, {"-DCUCPU_TRACED"});
    if (traced && !line_.traced) append(command, {"-w"});
    if (!line_.dependency_flag.empty()) append_dependency_flags(command, file);
    append(command, {"-x", "c++", "-E", file, "-o", preprocessed});
    preprocess(command);
    if (line_.dry_run) return;
    try {
      write(lowered,
            cucpu::lower::lower(read(preprocessed), {line_.shared_device_variables, traced}) +
                compiled_here());
    } catch (const cucpu::lower::Error& error) {
      std::cerr << error.what() << '\n';
      throw Exit{1};
    }
  }

  // Tells the program where the names of its sources begin.
  static std::string compiled_here() {
    std::ostringstream text;
    text << "\nstatic const cucpu::CompiledIn cucpu_compiled_in("
         << std::quoted(fs::current_path().string()) << ");\n";
    return std::move(text).str();
  }

  void append_dependency_flags(Words& command, const std::string& file) const {
    const std::string target = !line_.output.empty() ? line_.output
                               : line_.lower_only    ? file + ".cpp"
                                                     : fs::path(file).stem().string() + ".o";
    append(command,
           {line_.dependency_flag, "-MF",
            line_.dependency_file.empty() ? fs::path(target).replace_extension(".d").string()
                                          : line_.dependency_file,
            "-MT", line_.dependency_target.empty() ? target : line_.dependency_target});
  }

  void link(const Words& objects_and_libraries, const std::string& output) const {
    Words command = compiler_command();
    append(command, {"-o", output});
    append(command, objects_and_libraries);
    append(command, {CUCPU_LIBRARY, "-lboost_context"});
    execute(command);
  }

  // A library of NVIDIA's that is not there is named as what it is, rather than as a missing file.
  void preprocess(const Words& command) const {
    const std::string messages = (folder_.path() / "messages").string();
    try {
      execute(command, messages);
    } catch (const Exit&) {
      const std::string text = read(messages);
      const std::string error = cucpu::lower::missing_header_error(text);
      std::cerr << (error.empty() ? text : error + '\n');
      throw;
    }
    if (!line_.dry_run) std::cerr << read(messages);
  }

  // Leaves with the command's exit status if it fails. What it says goes to the file `messages`.
  void execute(const Words& command, const std::string& messages = {}) const {
    if (line_.dry_run || line_.verbose) show(command);
    if (line_.dry_run) return;
    std::vector<char*> argv;
    for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);

    // Ctrl-C ends the command, and this program after it has removed its files.
    sigset_t interruptions;
    sigemptyset(&interruptions);
    for (const int s : {SIGINT, SIGTERM, SIGHUP}) {
      sigaddset(&interruptions, s);
      signal(s, SIG_IGN);
    }
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &interruptions);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    if (!messages.empty())
      posix_spawn_file_actions_addopen(&files, STDERR_FILENO, messages.c_str(),
                                       O_WRONLY | O_CREAT | O_TRUNC, S_IRUSR | S_IWUSR);
    pid_t child = 0;
    const int error = posix_spawnp(&child, argv[0], &files, &attributes, argv.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    if (error != 0) refuse(command[0] + ": cannot be run: " + std::strerror(error));
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    constexpr int kKilledBySignal = 128;  // as shells have it
    if (WIFSIGNALED(status)) throw Exit{kKilledBySignal + WTERMSIG(status)};
    if (WEXITSTATUS(status) != 0) throw Exit{WEXITSTATUS(status)};
  }

  // As a shell would take it.
  static void show(const Words& command) {
    for (const std::string& word : command) {
      constexpr const char* kPlain =
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
      if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
        std::cout << word << ' ';
        continue;
      }
      std::cout << '\'';
      for (const char c : word) std::cout << (c == '\'' ? "'\\''" : std::string(1, c));
      std::cout << "' ";
    }
    std::cout << std::endl;
  }

  static std::string read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return std::move(text).str();
  }

  static void write(const std::string& path, std::string_view text) {
    std::ofstream out(path, std::ios::binary);
    out << text;
    if (!out.flush()) refuse(path + ": cannot be written");
  }

  const CommandLine& line_;
  Words compiler_;
  host::TemporaryFolder folder_{"cucpu"};
  int files_ = 0;  // so far in that folder
};

}  // namespace

int main(int argc, char** argv) {
  try {
    const CommandLine line = CommandLineParser(argc, argv).parse();
    Compiler(line).run();
    return 0;
  } catch (const Exit& exit) {
    return exit.status;
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << '\n';
    return 1;
  }
}
