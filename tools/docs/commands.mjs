// The tables of docs/SERVER.md about commands, from the rows of the commands.

/** The forms of commands that have the reply that a table shows, each with its command in words. */
function formsOf(rows) {
  return rows.flatMap(({ name, usage: usageOfRow, replies = [] }) =>
    replies.map(({ usage = usageOfRow, ...replied }) => {
      const words = `${name} ${usage}`.trim().replaceAll('|', '\\|');
      return { ...replied, command: `\`${words}\`` };
    }),
  );
}

/** A row for each form of a command that does not depend on a key of a map. */
export function commandTable(rows) {
  const forms = formsOf(rows).filter(({ reply }) => reply !== undefined);
  return ['| command | answer |', '|---|---|', ...forms.map(({ command, reply }) => `| ${command} | ${reply} |`)].join(
    '\n',
  );
}

/** A row for each form of a command on keys of maps. Commands with the same replies, one after the other, have one row. */
export function mappedTable(rows) {
  const lines = [];
  for (const { command, mapped } of formsOf(rows)) {
    if (mapped === undefined) continue;
    const replies = `${mapped.join(' | ')} |`;
    const latest = lines.at(-1);
    if (latest?.replies === replies) latest.commands.push(command);
    else lines.push({ commands: [command], replies });
  }
  const table = lines.map(({ commands, replies }) => `| ${commands.join(', ')} | ${replies}`);
  return ['| command | a key that is seen | with `,claim` |', '|---|---|---|', ...table].join('\n');
}
