// `npm run test:kafka [-- --quick] [--failures N] [--seed N] [--only defects,fencing,kills,repartition,backlog,times,batches,takeover,secured,brokers,holdups,starts,once,memory] [--report]`: workers of `firstseen kafka` and brokers that are
// killed and paused, against one process over the same input. With `--report`, writes what was found into docs/KAFKA-FAILURES.md. The last line is
// `N passed, N failed, N skipped`.

import { runFailureTests } from '../../tools/failuretests.mjs';

runFailureTests({
  folder: import.meta.url,
  page: '../../docs/KAFKA-FAILURES.md',
  variables: 'KAFKA',
  count: 'failures',
  groups: [
    ...['defects', 'fencing', 'kills', 'repartition', 'backlog', 'times', 'batches', 'takeover', 'secured', 'brokers'],
    ...['holdups', 'starts', 'once', 'memory'],
  ],
});
