/** What jsdom lacks of a browser, because it lays nothing out: a size for everything, and the calls that move the view. */
const WIDTH = 1200;
const HEIGHT = 800;

class NoResizes {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}

const noMedia = (query: string): MediaQueryList =>
  ({
    matches: false,
    media: query,
    onchange: null,
    addListener: () => undefined,
    removeListener: () => undefined,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
    dispatchEvent: () => false,
  }) as MediaQueryList;

Object.assign(window, { ResizeObserver: NoResizes, matchMedia: noMedia, scrollTo: () => undefined });
Object.assign(Element.prototype, { scrollTo: () => undefined, scrollIntoView: () => undefined });
for (const side of ["offset", "client"]) {
  Object.defineProperty(HTMLElement.prototype, `${side}Width`, { configurable: true, get: () => WIDTH });
  Object.defineProperty(HTMLElement.prototype, `${side}Height`, { configurable: true, get: () => HEIGHT });
}
Object.defineProperty(document, "fonts", {
  value: { addEventListener: () => undefined, removeEventListener: () => undefined },
});
