// `npm run test:failures [-- --quick] [--kills N] [--seed N] [--only defects,kills,stall,disk,volume,clock,connections,fuzz] [--report]`: kills servers, cuts off
// their power, fills their disk, and sends them what no client should. With `--report`, writes what was found into docs/FAILURES.md. The last line is
// `N passed, N failed, N skipped`.

import { runFailureTests } from '../../tools/failuretests.mjs';

runFailureTests({
  folder: import.meta.url,
  page: '../../docs/FAILURES.md',
  variables: 'FAILURES',
  count: 'kills',
  groups: ['defects', 'kills', 'stall', 'disk', 'volume', 'clock', 'connections', 'fuzz'],
});
