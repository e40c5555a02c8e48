// Documents of YAML, as Python reads them.

import { spawnSync } from 'node:child_process';

/** The documents of a text; undefined where Python or its package is missing. */
export function documentsIn(text: string): readonly Record<string, unknown>[] | undefined {
  const program = 'import json, sys, yaml; print(json.dumps(list(yaml.safe_load_all(sys.stdin))))';
  const { status, stdout } = spawnSync('python3', ['-c', program], { input: text, encoding: 'utf8' });
  return status === 0 ? JSON.parse(stdout) : undefined;
}
