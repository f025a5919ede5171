import { act, createElement } from "react";
import { createRoot } from "react-dom/client";
import { onTestFinished, vi } from "vitest";

/** An element without a browser, which has what React needs to render a component that draws nothing. */
function emptyPage(): Element {
  const ignore = (): void => {};
  // No element has the focus, so that the class of frames does not matter.
  const view = {
    HTMLIFrameElement: Map,
    event: undefined,
    addEventListener: ignore,
    document: { activeElement: null },
  };
  vi.stubGlobal("window", view);
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  const ownerDocument = { nodeType: 9, defaultView: view, activeElement: null, addEventListener: ignore };
  const element = { nodeType: 1, nodeName: "MAIN", tagName: "MAIN", addEventListener: ignore, ownerDocument };
  return element;
}

/**
 * Calls a hook in a component of React until the test is over. Returns what the hook has returned last, a function that
 * removes the component, and one that calls the hook with other arguments.
 */
export function showHook<Argument, Result>(use: (argument: Argument) => Result, first: Argument) {
  const page = emptyPage();
  const root = createRoot(page);
  const results: Result[] = [];
  const Shown = ({ argument }: { argument: Argument }): null => {
    results.push(use(argument));
    return null;
  };
  const showWith = (argument: Argument): void => act(() => root.render(createElement(Shown, { argument })));
  let isShown = true;
  const close = (): void => {
    if (isShown) act(() => root.unmount());
    isShown = false;
  };
  showWith(first);
  onTestFinished(() => {
    close();
    vi.unstubAllGlobals();
  });
  return {
    latest: (): Result => {
      const result = results.at(-1);
      if (result === undefined) throw new Error("The hook was not called.");
      return result;
    },
    showWith,
    close,
  };
}
