// The entry `firstseen/errors`: the class and the codes of all errors, without the rest of the library.

export { type ErrorCode, errorCodes, FirstseenError } from './base/errors.js';
