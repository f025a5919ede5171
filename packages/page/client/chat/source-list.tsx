import type { Source } from "@troupe-internal/client";
import { ForeignLink } from "../markdown/markdown.tsx";
import { readLink } from "../markdown/link.ts";
import { cutText } from "../ui/cut-text.ts";
import { plainLine, toVisible } from "../ui/unseen.ts";
import { strings } from "../strings/strings.ts";

/** The maximum number of characters of a passage that are shown. */
const longestPassage = 1500;

/** The sources of an answer, numbered: each with its place in its document and the passage. */
export function SourceList({ sources }: { sources: readonly Source[] }) {
  return (
    <ol class="sources" aria-label={strings.parts.sources}>
      {sources.map((source) => (
        <SourceItem key={source.id} source={source} />
      ))}
    </ol>
  );
}

function SourceItem({ source: { id, url = "", title, place, passage } }: { source: Source }) {
  const link = readLink(url);
  const text = plainLine(title ?? (url || id));
  return (
    <li>
      {link === undefined ? text : <ForeignLink link={link} text={text} />}
      {place !== undefined && <span class="muted"> {plainLine(place)}</span>}
      {passage !== undefined && (
        <details>
          <summary>{strings.parts.passage}</summary>
          <blockquote dir="auto">{toVisible(cutText(passage, longestPassage, "…"))}</blockquote>
        </details>
      )}
    </li>
  );
}
