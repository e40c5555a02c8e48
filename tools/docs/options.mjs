// The tables of options in the docs, made from the rows of packages/firstseen/src/options.

/** A text in a cell of a table. */
function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

function optionName({ name, own }) {
  return `\`${own === undefined ? name : `${own}.${name}`}\``;
}

/** The options of a run of the library, with the flag of the command for each. */
export function optionTable(options) {
  return [
    '| option | flag | what it is |',
    '|---|---|---|',
    ...options
      .filter(({ isOfCommand }) => !isOfCommand)
      .map((option) => {
        const { flag, description } = option;
        return `| ${optionName(option)} | ${flag === undefined ? '' : `\`${flag}\``} | ${cell(description)} |`;
      }),
  ].join('\n');
}

const agreements = {
  setting: 'must be that of the state',
  following: 'the parameters that follow from it must be those of the state',
  secret: 'the secret must be that of the state',
  witness: 'the memory of the witness must be that of the state; without a witness, the state loses its own',
  record: 'must be as in the runs before',
};

/** What must agree with a state, by the way in which it must. All other flags may differ from run to run. */
export function agreementTable(options) {
  const rows = Object.entries(agreements).map(([agreement, meaning]) => {
    const flags = options.filter(({ agrees, flag }) => agrees === agreement && flag !== undefined);
    return `| ${flags.map(({ flag }) => `\`${flag}\``).join(', ')} | ${meaning} |`;
  });
  return ['| flags | with a state |', '|---|---|', ...rows].join('\n');
}
