import { cutText } from "../ui/cut-text.ts";
import { plainLine, toVisible } from "../ui/unseen.ts";
import type { Passage } from "./passages.ts";
import { strings } from "../strings/strings.ts";

/** The maximum number of characters of a passage that are shown. */
const longestPassage = 1500;

/** The passages that a search has found, each with its number, its document and its place. */
export function PassageCards({ passages }: { passages: readonly Passage[] }) {
  return (
    <ul class="passages" aria-label={strings.parts.passages}>
      {passages.map(({ number, title, place, text }, index) => (
        <li key={index}>
          <p class="passage-head">
            <span class="passage-number">{number}</span>
            <span class="passage-title">{plainLine(title)}</span>
            {place !== undefined && <span class="muted">{plainLine(place)}</span>}
          </p>
          <blockquote dir="auto" tabIndex={0}>
            {toVisible(cutText(text, longestPassage, "…"))}
          </blockquote>
        </li>
      ))}
    </ul>
  );
}
