// Runs the frontier of a crawler over a generated web. Every page links to other pages, most of them already seen. A page is
// queued only when its URL appears for the first time. Run it with `node examples/url-frontier.mjs`.

import { create } from 'firstseen';
import { generator } from './lib/random.mjs';

const PAGES = 20_000;
const LINKS = 12;

/** The URLs on a page, the same on each fetch. Half lead to any page, half to a few pages that are linked often. */
function fetchLinks(url) {
  const random = generator(1 + Number(url.slice(url.lastIndexOf('/') + 1)));
  return Array.from({ length: LINKS }, (_, i) => {
    const place = i % 2 === 0 ? random() : random() ** 8;
    return `https://www.example.com/page/${Math.floor(place * PAGES)}`;
  });
}

/** Fetches every page that `isNew` lets into the frontier. Returns the fetched URLs and the number of links met. */
function crawl(isNew) {
  const frontier = ['https://www.example.com/page/0'];
  isNew(frontier[0]);
  let links = 0;
  for (let next = 0; next < frontier.length; next++) {
    for (const url of fetchLinks(frontier[next])) {
      links++;
      if (isNew(url)) frontier.push(url);
    }
  }
  return { links, fetched: frontier };
}

// A false positive skips a page. A false negative fetches it again; a Bloom filter has no false negatives.
const detector = await create({ algorithm: 'bloom', memory: '64KiB', fpr: 0.001 });
const { links, fetched } = crawl((url) => detector.observe(url) === 'distinct');

const known = new Set();
const exact = crawl((url) => !known.has(url) && known.add(url));

console.log(`links met: ${links}`);
console.log(`pages fetched: ${fetched.length}`);
console.log(`pages fetched again: ${fetched.length - new Set(fetched).size}`);
console.log(`pages that an exact crawler fetches: ${exact.fetched.length}`);
console.log(`bytes of memory: ${detector.stats().memoryBytes}`);
console.log(`bytes of the URLs of an exact crawler: ${exact.fetched.join('').length}`);
