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
 * Keeps the end of a scrolling element in view after each change, until its reader scrolls up. Restores the scroll
 * position of an element that was hidden, which browsers forget.
 */
export function useFollow(content: unknown, isShown: boolean): Following {
  const element = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  const toEnd = () => {
    element.current?.scrollTo({ top: element.current.scrollHeight });
    setAtEnd(true);
  };
  const place = useRef(0);
  useLayoutEffect(() => {
    if (isAtEnd) element.current?.scrollTo({ top: element.current.scrollHeight });
  }, [content]);
  useLayoutEffect(() => {
    if (isShown) element.current?.scrollTo({ top: isAtEnd ? element.current.scrollHeight : place.current });
  }, [isShown]);
  const onScroll = () => {
    if (element.current === null || !isShown) return;
    place.current = element.current.scrollTop;
    const { scrollHeight, scrollTop, clientHeight } = element.current;
    setAtEnd(scrollHeight - scrollTop - clientHeight < near);
  };
  return { element, isAtEnd, onScroll, toEnd };
}
