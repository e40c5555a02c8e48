// Gives the page a locale that the browser itself can format by. Chromium without a locale names one that is none, such as
// `en-US@posix`, and the library for plots asks for it when it is loaded. Import this before that library.

try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en-US' });
}
