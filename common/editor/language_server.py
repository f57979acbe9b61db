"""clangd, asked as an editor asks it: messages of the Language Server Protocol."""

import json
import queue
import subprocess
import threading

SECONDS_TO_ANSWER = 60
ERROR = 1


class LanguageServer:
    def __init__(self, clangd, build, source):
        self._process = subprocess.Popen(
            [clangd, f"--compile-commands-dir={build}", "--background-index=false", "--log=error",
             "--clang-tidy=false", "-j=2"],
            cwd=source, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self._messages = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self._last_id = 0
        self.ask("initialize", {"processId": None, "rootUri": source.as_uri(), "capabilities": {}})

    def close(self):
        self.ask("shutdown", None)
        self._send({"method": "exit"})
        self._process.wait()

    def _send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()

    def _read(self):
        stream = self._process.stdout
        while header := stream.readline():
            length = int(header.split(b":")[1])
            while stream.readline().strip():
                pass
            self._messages.put(json.loads(stream.read(length)))
        self._messages.put(None)

    def _await(self, wanted):
        """The first message of that kind; others are dropped."""
        while True:
            message = self._messages.get(timeout=SECONDS_TO_ANSWER)
            if message is None:
                raise RuntimeError(f"clangd ended with {self._process.wait()}")
            if wanted(message):
                return message

    def ask(self, method, parameters):
        self._last_id += 1
        self._send({"id": self._last_id, "method": method, "params": parameters})
        answer = self._await(lambda message: message.get("id") == self._last_id)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def _open(self, path, text):
        self._send({"method": "textDocument/didOpen", "params": {"textDocument": {
            "uri": path.as_uri(), "languageId": "cuda-cpp", "version": 1, "text": text}}})

    def open_text(self, path, text):
        """The faults that clangd finds in a file that is only in the editor, and is closed again."""
        self._open(path, text)
        said = self._diagnostics([path])[path]
        self.close_file(path)
        self._diagnostics([path])  # which are none
        return said

    def open(self, *paths):
        """Opens files; what clangd says of each: path -> diagnostics."""
        for path in paths:
            self._open(path, path.read_text(encoding="utf-8"))
        return self._diagnostics(paths)

    def _diagnostics(self, paths):
        uris = {path.as_uri(): path for path in paths}
        found = {}
        while len(found) < len(paths):
            said = self._await(
                lambda message: message.get("method") == "textDocument/publishDiagnostics")["params"]
            if said["uri"] in uris:  # and not a file that has been closed
                found[uris[said["uri"]]] = said["diagnostics"]
        return found

    def close_file(self, path):
        self._send({"method": "textDocument/didClose",
                    "params": {"textDocument": {"uri": path.as_uri()}}})

    def ask_at(self, what, path, line, column):
        """A request about a place, counted from 0."""
        return self.ask(f"textDocument/{what}", {
            "textDocument": {"uri": path.as_uri()},
            "position": {"line": line, "character": column}})


def errors(diagnostics):
    """As compilers write them, without the file."""
    return [f"{one['range']['start']['line'] + 1}: {one['message'].splitlines()[0]}"
            for one in diagnostics if one["severity"] == ERROR]
