"""A step of datatrove that drops near-duplicates with `firstseen near`.

One task reads all shards, because what another task has seen cannot be known. With --read-only, the step drops what is similar to the
documents of a state, and any number of tasks can run.
"""

import json
import subprocess
import threading
from queue import SimpleQueue

from datatrove.pipeline.base import PipelineStep


class FirstseenNear(PipelineStep):
    name = "firstseen near"
    type = "🫂 - DEDUPS"

    def __init__(self, *flags, command=("npx", "firstseen")):
        super().__init__()
        self.is_read_only = "--read-only" in flags
        self.command = [*command, "near", "--format", "ndjson", *flags]

    def run(self, data, rank=0, world_size=1):
        if world_size > 1 and not self.is_read_only:
            raise ValueError("each task would keep its own copy of a document: run one task, or give --read-only and --state")
        process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        sent, failures = SimpleQueue(), []

        def send():
            try:
                for number, document in enumerate(data):
                    sent.put((number, document))
                    process.stdin.write(json.dumps({"number": number, "text": document.text}).encode() + b"\n")
                process.stdin.close()
            except BaseException as failure:  # also of an earlier step, which must not look like the end of the data
                failures.append(failure)
                process.kill()

        sender = threading.Thread(target=send)
        sender.start()
        try:
            for line in process.stdout:
                kept = json.loads(line)["number"]
                while (sent_next := sent.get())[0] != kept:
                    self.stat_update("dropped")
                self.stat_update("forwarded")
                yield sent_next[1]
            sender.join()
            if process.wait() != 0:
                raise RuntimeError(f"firstseen ended with {process.returncode}") from (failures or [None])[0]
            self.stat_update("dropped", value=sent.qsize())
        finally:
            process.kill()
