// Node opens the modules of a program side by side. Where the limit of open files is too low for that, it would print only a trace
// of its loader. So this module imports nothing by itself.

const TOO_MANY_OPEN_FILES: readonly unknown[] = ['EMFILE', 'ENFILE'];

function explainLoadError(error: NodeJS.ErrnoException): number {
  if (!TOO_MANY_OPEN_FILES.includes(error.code)) throw error;
  const problem = 'the system does not let the command open its own modules, because too many files are open';
  process.stderr.write(`firstseen: ${problem}; raise the limit (ulimit -n) [E_INPUT]\n`);
  return 1;
}

// What Node ends with when nothing goes on and a promise is still open: such a run must not look complete.
const UNSETTLED_EXIT_CODE = 13;

process.exitCode = UNSETTLED_EXIT_CODE;
void import('./program.js')
  .then(({ runCommandLine }) => runCommandLine(), explainLoadError)
  .then((exitCode) => {
    process.exitCode = exitCode;
  });
