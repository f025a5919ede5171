import { withoutMarks } from "../base/message/citation-marks.ts";
import type { Source } from "../base/message/source.ts";
import { cutText } from "../base/util/cut-text.ts";
import { isRecord } from "../base/util/is-record.ts";
import { readPiece } from "./pieces.ts";
import type { KnowledgeSearchResult } from "./join-results.ts";
import type { VectorDocument } from "./vector/vector-store.ts";

/** The maximum characters of a passage in a source. The model receives the whole text. */
const longestPassage = 1000;

/**
 * Makes the sources of a search's results. The id of a source combines the name of the knowledge base and the id of the
 * record. Its address and title are the metadata strings `url` and `title`, if present.
 */
export function toSources(
  found: readonly KnowledgeSearchResult[],
  knowledge: string,
  toolCallId: string | undefined,
): Source[] {
  return found.map(({ document, score }) => {
    const { url } = document.metadata ?? {};
    const place = placeOf(document);
    return {
      id: `${knowledge}/${document.id}`,
      ...(typeof url === "string" && url !== "" && { url }),
      title: titleOf(document),
      ...(place !== "" && { place }),
      passage: cutText(document.content, longestPassage),
      ...(typeof score === "number" && { score }),
      ...(toolCallId !== undefined && { toolCallId }),
    };
  });
}

/**
 * Writes the results of a search for a model, each after its number. Numbers in brackets within the texts are changed,
 * so that they are not mistaken for the numbers of results.
 */
export function toNumberedText(
  found: readonly KnowledgeSearchResult[],
  numbers: readonly number[],
  { cite }: { cite: boolean },
): string {
  if (found.length === 0) return "No documents were found.";
  const passages = found.map(({ document }, index) => {
    const place = placeOf(document);
    const heading =
      JSON.stringify(titleOf(document)) + (place === "" ? "" : ` (${JSON.stringify(place).slice(1, -1)})`);
    return `[${numbers[index]}] ${withoutMarks(heading)}\n${withoutMarks(document.content)}`;
  });
  const hint = "Cite these passages by their numbers. Numbers of earlier answers are no longer valid.";
  return [...(cite ? [hint] : []), ...passages].join("\n\n");
}

function titleOf(document: VectorDocument): string {
  const { title } = document.metadata ?? {};
  if (typeof title === "string" && title.trim() !== "") return title;
  return readPiece(document)?.documentId ?? document.id;
}

/** Describes the place of a piece: page, headings and rows if they are known, otherwise the range of its characters. */
function placeOf(document: VectorDocument): string {
  const piece = readPiece(document);
  const { documentPlace } = document.metadata ?? {};
  const { page, headings, rows } = isRecord(documentPlace) ? documentPlace : {};
  const known = [
    typeof page === "number" ? `page ${page}` : "",
    typeof headings === "string" ? headings : "",
    typeof rows === "string" ? `rows ${rows}` : "",
  ].filter((part) => part !== "");
  if (known.length > 0) return known.join(", ");
  return piece === undefined ? "" : `characters ${piece.start} to ${piece.end}`;
}
