// Declarations as the reference shows them: their code without comments, and their comments as text.

import ts from '@typescript/typescript6';

const printer = ts.createPrinter({ removeComments: true });

function printed(node) {
  return printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile());
}

/** One line of code, with optional parts without the `undefined` and the parentheses that `exactOptionalPropertyTypes` needs. */
function oneLine(text) {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/(\?: [^;{}]*?) \| undefined(?=[;,)]|$)/g, '$1')
    .replace(/;$/, '')
    .replace(/(\?: )\((\([^|]*\) => [^|]*)\)$/, '$1$2');
}

/** A member of an interface or of a class, such as `observe(key: Key): Verdict`. */
export function memberText(member) {
  const text = oneLine(printed(member)).replace(/^(?:readonly|get) (?=\w)/, '');
  if (ts.isConstructorDeclaration(member)) return text.replace(/^constructor/, `new ${member.parent.name.text}`);
  return ts.isGetAccessor(member) ? text.replace('()', '') : text;
}

/** The name of an interface or a class with its type parameters and what it extends. */
export function headText(name, { typeParameters }, heritage) {
  const generics = typeParameters ? `<${typeParameters.map(printed).join(', ')}>` : '';
  const bases = heritage.length > 0 ? ` extends ${heritage.map(printed).join(', ')}` : '';
  return `${name}${generics}${bases}`;
}

/** A declaration as code: with the comments inside it, but without its own. */
export function statementText(declaration) {
  if (ts.isVariableDeclaration(declaration)) return `const ${declaration.getText()};`;
  return declaration.getText().replace(/^(?:export )?(?:declare )?/, '');
}

/** Turns the lines of a comment into one paragraph, with links to the pages that it names. */
function paragraph(text) {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/\bdocs\/([\w/-]+\.md)/g, '[docs/$1](../$1)');
}

function tagText(tag) {
  const text = ts.getTextOfJSDocComment(tag.comment) ?? '';
  if (ts.isJSDocParameterTag(tag)) return `\`${tag.name.getText()}\`: ${text}.`;
  if (tag.tagName.text === 'throws') return `Throws ${text}`;
  if (tag.tagName.text === 'returns') return `Returns ${text}.`;
  return '';
}

/** The comment of a declaration, as paragraphs. */
export function textsOf(declaration) {
  const comments = ts.getJSDocCommentsAndTags(declaration).filter(ts.isJSDoc);
  return comments
    .flatMap((comment) => [ts.getTextOfJSDocComment(comment.comment) ?? '', ...(comment.tags ?? []).map(tagText)])
    .filter((text) => text !== '')
    .map((text) => paragraph(text).replace(/\.\.$/, '.'));
}
