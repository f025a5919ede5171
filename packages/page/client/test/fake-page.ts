import { render } from "preact";
import type { ComponentChild } from "preact";
import { act } from "preact/test-utils";
import { expect, onTestFinished, vi } from "vitest";

type FakeNode = FakeElement | FakeText;
type Listener = (this: unknown, event: object) => void;

/** A text node that Preact can write. */
class FakeText {
  readonly nodeType = 3;
  parentNode: FakeElement | null = null;
  data: string;

  constructor(data: string) {
    this.data = data;
  }

  get nextSibling(): FakeNode | null {
    return this.parentNode?.after(this) ?? null;
  }

  get text(): string {
    return this.data;
  }

  remove(): void {
    this.parentNode?.removeChild(this);
  }
}

/** An element without a browser, which has what Preact needs to render into it. */
export class FakeElement {
  readonly nodeType = 1;
  readonly namespaceURI = "http://www.w3.org/1999/xhtml";
  readonly localName: string;
  readonly childNodes: FakeNode[] = [];
  readonly attributes: Record<string, unknown> = {};
  readonly style: Record<string, unknown> = {};
  /** The calls of methods that only a browser carries out, such as `focus`. */
  readonly calls: string[] = [];
  readonly #listeners = new Map<string, Set<Listener>>();
  parentNode: FakeElement | null = null;
  value: string | undefined = "";
  /** The result of `checkVisibility`. */
  isVisible = true;
  scrollHeight = 1000;
  /** The number of calls of `click`. */
  clicks = 0;

  constructor(localName: string) {
    this.localName = localName;
  }

  readonly ownerDocument = {
    createElementNS: (_: string, name: string) => new FakeElement(name),
    createTextNode: (data: string) => new FakeText(data),
  };

  get firstChild(): FakeNode | null {
    return this.childNodes[0] ?? null;
  }

  get nextSibling(): FakeNode | null {
    return this.parentNode?.after(this) ?? null;
  }

  get text(): string {
    return this.childNodes.map(({ text }) => text).join("");
  }

  after(node: FakeNode): FakeNode | null {
    return this.childNodes[this.childNodes.indexOf(node) + 1] ?? null;
  }

  insertBefore(node: FakeNode, next: FakeNode | null): void {
    node.remove();
    this.childNodes.splice(next === null ? this.childNodes.length : this.childNodes.indexOf(next), 0, node);
    node.parentNode = this;
  }

  removeChild(node: FakeNode): void {
    this.childNodes.splice(this.childNodes.indexOf(node), 1);
    node.parentNode = null;
  }

  remove(): void {
    this.parentNode?.removeChild(this);
  }

  setAttribute(name: string, value: unknown): void {
    this.attributes[name] = String(value);
  }

  removeAttribute(name: string): void {
    delete this.attributes[name];
  }

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, (this.#listeners.get(type) ?? new Set<Listener>()).add(listener));
  }

  removeEventListener(type: string, listener: Listener): void {
    this.#listeners.get(type)?.delete(listener);
  }

  checkVisibility(): boolean {
    return this.isVisible;
  }

  click(): void {
    this.clicks += 1;
    this.fire("click");
  }

  focus(): void {
    this.calls.push("focus");
  }

  scrollTo({ top }: { readonly top: number }): void {
    this.calls.push(`scrollTo ${top} of ${this.scrollHeight}`);
  }

  select(): void {
    this.calls.push("select");
  }

  showModal(): void {
    this.calls.push("showModal");
  }

  close(): void {
    this.calls.push("close");
  }

  contains(element: unknown): boolean {
    return element === this || this.childNodes.some((node) => node instanceof FakeElement && node.contains(element));
  }

  get nextElementSibling(): FakeElement | null {
    return this.#beside(1);
  }

  get previousElementSibling(): FakeElement | null {
    return this.#beside(-1);
  }

  /** Returns the first element below this one that a selector names. */
  querySelector(selector: string): FakeElement | null {
    const wanted = selector.split(", ");
    return this.all("*").find((element) => wanted.some((each) => element.#matches(each))) ?? null;
  }

  /** Returns the nearest element of a name around this one. */
  closest(name: string): FakeElement | null {
    return this.localName === name ? this : (this.parentNode?.closest(name) ?? null);
  }

  #beside(step: number): FakeElement | null {
    const all = (this.parentNode?.childNodes ?? []).filter((node) => node instanceof FakeElement);
    return all[all.indexOf(this) + step] ?? null;
  }

  /** Knows the selectors that the page uses: names, `[tabindex='0']`, and the last button of a class. */
  #matches(selector: string): boolean {
    const [, name, value] = /^\[(\w+)='(\w+)'\]$/.exec(selector) ?? [];
    if (name !== undefined) return this.attributes["tabIndex"] === value && name === "tabindex";
    const [, within, last] = /^\.(\w+) (\w+):last-of-type$/.exec(selector) ?? [];
    if (last === undefined) return this.localName === selector;
    const { parentNode } = this;
    return parentNode !== null && parentNode.attributes["class"] === within && parentNode.all(last).at(-1) === this;
  }

  /** The types of the events that the element listens to. */
  get listensTo(): string[] {
    return [...this.#listeners].flatMap(([type, { size }]) => (size > 0 ? [type] : []));
  }

  get listenerCount(): number {
    return [...this.#listeners.values()].reduce((count, { size }) => count + size, 0);
  }

  /** Sends an event to the element, and renders. Returns true if the default action was prevented. */
  fire(type: string, fields: object = {}): boolean {
    const preventDefault = vi.fn<() => void>();
    const event = { type, currentTarget: this, target: this, preventDefault, ...fields };
    void act(() => {
      for (const listener of this.#listeners.get(type) ?? []) listener.call(this, event);
    });
    return preventDefault.mock.calls.length > 0;
  }

  /** Returns all elements below this one that have the name or the label; all of them for `*`. */
  all(nameOrLabel: string): FakeElement[] {
    return this.childNodes.flatMap((node) => {
      if (node instanceof FakeText) return [];
      const { "aria-label": label } = node.attributes;
      const isWanted = nameOrLabel === "*" || node.localName === nameOrLabel || label === nameOrLabel;
      return [...(isWanted ? [node] : []), ...node.all(nameOrLabel)];
    });
  }

  /** Returns the one element below this one that has the name or the label. */
  one(nameOrLabel: string): FakeElement {
    const [found, ...others] = this.all(nameOrLabel);
    if (found !== undefined && others.length === 0) return found;
    throw new Error(`Expected one element ${nameOrLabel}, got ${others.length + (found === undefined ? 0 : 1)}.`);
  }
}

/**
 * Shows a component until the test is over. Returns its page, functions that close it or show it with other properties, and one
 * that sends an event to the window, which returns true if the default action was prevented.
 */
export function showOnPage<Props>(draw: (props: Props) => ComponentChild, props: Props) {
  const body = new FakeElement("body");
  const ofWindow = new FakeElement("window");
  vi.stubGlobal("addEventListener", ofWindow.addEventListener.bind(ofWindow));
  vi.stubGlobal("removeEventListener", ofWindow.removeEventListener.bind(ofWindow));
  const drawn = (child: ComponentChild) => void act(() => render(child, body as unknown as Element));
  drawn(draw(props));
  onTestFinished(() => {
    drawn(null);
    vi.unstubAllGlobals();
    expect(ofWindow.listenerCount).toBe(0);
  });
  return {
    body,
    close: () => drawn(null),
    showWith: (changed: Partial<Props>) => drawn(draw({ ...props, ...changed })),
    fireOnWindow: (type: string, fields: object) => ofWindow.fire(type, fields),
  };
}
