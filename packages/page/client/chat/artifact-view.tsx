import type { Artifact } from "@troupe-internal/client";
import { CodeBlock } from "../ui/code-block.tsx";
import { plainLine } from "../ui/unseen.ts";
import { formatValue, isObject } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { saveFile } from "../ui/save-file.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { ChartArtifact } from "../charts/chart-artifact.tsx";
import { chartType } from "../charts/chart-type.ts";
import { readTable } from "./artifact-table.ts";
import { TableView } from "../ui/table-view.tsx";
import { strings } from "../strings/strings.ts";

/** Image types that a browser displays without running code. */
const drawable = /^image\/(png|jpeg|gif|webp|avif)$/;
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** The maximum number of characters of an artifact that are shown. Copying and saving use the whole artifact. */
const mostShown = 4000;

/**
 * An artifact of a tool: an image, a chart, a table, Markdown, or text for anything else. All artifacts can be saved as a whole.
 */
export function ArtifactView({ artifact: { type, data, mimeType = "" } }: { artifact: Artifact }) {
  return (
    <figure class="artifact">
      <figcaption>
        <Icon name="file" size={16} />
        <span>{plainLine(type)}</span>
        {mimeType !== "" && <span class="muted">{plainLine(mimeType)}</span>}
        <button
          type="button"
          class="quiet"
          onClick={() => save(type, data, mimeType)}
          aria-label={strings.parts.saveNamed(plainLine(type))}
        >
          <Icon name="download" size={16} />
        </button>
      </figcaption>
      <Content {...{ type, data, mimeType }} />
    </figure>
  );
}

/** The content of an artifact, by its type. */
function Content(artifact: Required<Artifact>) {
  if (artifact.mimeType !== chartType) return <PlainContent {...artifact} />;
  const { data, type } = artifact;
  return <ChartArtifact data={data} name={plainLine(type)} otherwise={<PlainContent {...artifact} />} />;
}

function PlainContent({ type, data, mimeType }: Required<Artifact>) {
  const image = toImage(data, mimeType);
  if (image !== undefined) return <img src={image} alt={strings.parts.imageNamed(plainLine(type))} />;
  const table = readTable(data, mimeType);
  if (table !== undefined) return <TableView name={plainLine(type)} table={table} />;
  const text = formatValue(data);
  const shown = text.length > mostShown ? `${text.slice(0, mostShown)}…` : text;
  if (typeof data === "string" && mimeType === "text/markdown") return <Markdown text={shown} />;
  return <CodeBlock text={shown} whole={text} />;
}

/** A result of a tool: text, data, or parts, of which some may be images. */
export function ResultView({ result }: { result: unknown }) {
  const parts = Array.isArray(result) && result.length > 0 && result.every(isPart) ? result : undefined;
  if (parts === undefined) return <CodeBlock text={formatValue(result)} />;
  return (
    <>
      {parts.map((part, index) => {
        if (part.type === "text") return <CodeBlock key={index} text={part.text ?? ""} />;
        const { data, mimeType } = part;
        const artifact = {
          type: part.filename ?? part.type,
          data: data ?? "",
          ...(mimeType !== undefined && { mimeType }),
        };
        return <ArtifactView key={index} artifact={artifact} />;
      })}
    </>
  );
}

type Part = { type: string; text?: string; data?: unknown; mimeType?: string; filename?: string };

function isPart(value: unknown): value is Part {
  return isObject(value) && typeof value["type"] === "string" && ("text" in value || "data" in value);
}

/**
 * Returns a `data:` URL for an image in base64, or undefined for anything else: images on other servers are never
 * loaded.
 */
function toImage(data: unknown, mimeType: string): string | undefined {
  if (typeof data !== "string" || !drawable.test(mimeType) || !base64.test(data.slice(0, 200))) return undefined;
  return `data:${mimeType};base64,${data}`;
}

function save(name: string, data: unknown, mimeType: string): void {
  const image = typeof data === "string" && drawable.test(mimeType) ? decodeBase64(data) : undefined;
  if (image === undefined) saveFile(name, extensionOf(data), formatValue(data));
  else saveFile(name, `.${mimeType.slice("image/".length)}`, image);
}

/** Returns the bytes that base64 stands for, or undefined if it is not valid base64. */
function decodeBase64(data: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function extensionOf(data: unknown): string {
  return typeof data === "string" ? ".txt" : ".json";
}
