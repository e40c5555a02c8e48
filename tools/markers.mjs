// Parts of documents that a command writes stand between markers.

/** `text` with `section` between the markers of `name`. */
export function replaceBetween(text, name, section) {
  const begin = `<!-- ${name}:begin -->`;
  const end = `<!-- ${name}:end -->`;
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`there are no markers ${begin} and ${end}`);
  return `${text.slice(0, from + begin.length)}\n${section}\n${text.slice(to)}`;
}
