// The types of the DOM that the pages' scripts use: tsc knows Node's globals only.

type Texts<Names extends string> = Record<Names, string>;
type Listener = (event: PageEvent) => void;

type PageEvent = {
  readonly target: PageElement;
  preventDefault(): void;
};

export type PageElement = Texts<
  'id' | 'name' | 'value' | 'textContent' | 'className' | 'href' | 'type' | 'localName'
> &
  Record<'hidden' | 'open' | 'checked' | 'multiple', boolean> &
  Record<'ariaInvalid' | 'ariaLabel', string | null> &
  Record<'reset' | 'hidePopover' | 'showModal' | 'close' | 'click', () => void> & {
    /** Only templates have content. */
    readonly content: { cloneNode(deep: true): PageElement };
    readonly dataset: Record<string, string | undefined>;
    readonly selectedOptions?: Iterable<PageElement>;
    focus(options?: { readonly preventScroll?: boolean }): void;
    matches(selector: string): boolean;
    querySelector(selector: string): PageElement | null;
    querySelectorAll(selector: string): Iterable<PageElement>;
    closest(selector: string): PageElement | null;
    append(...parts: (PageElement | string)[]): void;
    replaceChildren(...parts: (PageElement | string)[]): void;
    setAttribute(name: string, value: string): void;
    addEventListener(name: string, listener: Listener): void;
    removeEventListener(name: string, listener: Listener): void;
  };

export type PageDocument = PageElement & {
  createElement(tag: string): PageElement;
  getElementById(id: string): PageElement | null;
};

export type PageStorage = {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
};
