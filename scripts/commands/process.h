// What a process must arrange before any work: its streams, its signals, and how BLAS begins.
#pragma once

namespace locus {

/// To be called first in main(). Signals that ask a process to end (SIGINT, SIGTERM, SIGHUP, SIGUSR1,
/// SIGUSR2, SIGXCPU) set the stop token instead, unless whoever started the process has them ignored (nohup).
/// Pipes without a reader and files beyond a limit become errors of the write. A standard stream that is
/// closed is occupied, so that no file of the work is opened in its place and written over by messages.
void prepare_process();

}  // namespace locus
