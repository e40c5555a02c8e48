// What uses the parser of csv. The parser takes longer to load than a small run lasts, so this module is loaded when it is needed.

export { headerNames } from './header.js';
export { strictProblem } from './strict.js';
