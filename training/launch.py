"""Launch: the command and environment of a worker process, or of several of them."""

import os
import sys

from tracemill.record import Record


class Launcher(Record):
    """How many processes share one round, each with the whole model and a part of each batch."""

    processes: int = 1

    def command(self, job_path: str) -> list[str]:
        """Return the command line: plain Python for one process, torchrun for several."""
        worker = ["-m", "tracemill.training.worker", job_path]
        if self.processes == 1:
            return [sys.executable, *worker]
        torchrun = ["-m", "torch.distributed.run", "--standalone"]
        return [sys.executable, *torchrun, f"--nproc_per_node={self.processes}", *worker]

    def environment(self, threads: int | None) -> dict[str, str]:
        """Return the environment, with `threads` in each process; None: the cores, shared out."""
        cores = os.cpu_count() or 1
        threads = threads or max(1, cores // self.processes)
        return {
            **os.environ,
            "OMP_NUM_THREADS": str(threads),
            # Threads that spin while they wait make a busy machine tenfold slower.
            "OMP_WAIT_POLICY": "PASSIVE",
            "TOKENIZERS_PARALLELISM": "false",
            "HF_HUB_OFFLINE": "1",
            "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        }
