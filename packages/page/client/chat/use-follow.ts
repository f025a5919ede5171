import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { RefObject } from "preact";

/** Pixels from the end of a scrolling element within which its reader counts as being at the end. */
const near = 60;

/** A scrolling element that follows new content while its reader is at the end. */
export type Following = {
  readonly element: RefObject<HTMLDivElement | null>;
  readonly isAtEnd: boolean;
  readonly onScroll: () => void;
  readonly toEnd: () => void;
};

/**
 * Keeps the end of a scrolling element in view after each change, until its reader scrolls up. Content that grows later,
 * such as a chart that is loaded, does not count as scrolling up. Restores the scroll position of an element that was
 * hidden, which browsers forget.
 */
export function useFollow(content: unknown, isShown: boolean): Following {
  const element = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  const place = useRef(0);
  const isPinned = useRef(true);
  isPinned.current = isAtEnd;
  const scrollToEnd = () => {
    element.current?.scrollTo({ top: element.current.scrollHeight });
    place.current = element.current?.scrollTop ?? 0;
  };
  const toEnd = () => {
    scrollToEnd();
    setAtEnd(true);
  };
  useLayoutEffect(() => {
    if (isAtEnd) scrollToEnd();
  }, [content]);
  useLayoutEffect(() => {
    if (!isShown) return;
    if (isAtEnd) scrollToEnd();
    else element.current?.scrollTo({ top: place.current });
  }, [isShown]);
  useGrowth(element, () => {
    if (isPinned.current) scrollToEnd();
  });
  const onScroll = () => {
    if (element.current === null || !isShown) return;
    const { scrollHeight, scrollTop, clientHeight } = element.current;
    const hasRisen = scrollTop < place.current;
    place.current = scrollTop;
    setAtEnd(scrollHeight - scrollTop - clientHeight < near || (isAtEnd && !hasRisen));
  };
  return { element, isAtEnd, onScroll, toEnd };
}

/** Calls a function when the height of an element, or of its last child, changes without a change of its content. */
function useGrowth(element: RefObject<HTMLElement | null>, onGrowth: () => void): void {
  const watched = useRef<{ readonly child: Element; readonly observer: ResizeObserver }>(null);
  useLayoutEffect(() => {
    const child = element.current?.lastElementChild;
    if (element.current === null || !child || child === watched.current?.child) return;
    watched.current?.observer.disconnect();
    const observer = new ResizeObserver(onGrowth);
    observer.observe(element.current);
    observer.observe(child);
    watched.current = { child, observer };
  });
  useLayoutEffect(() => () => watched.current?.observer.disconnect(), []);
}
