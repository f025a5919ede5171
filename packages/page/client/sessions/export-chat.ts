import type { Source, StoredTurn } from "@troupe-internal/client";
import { fromStoredTurn } from "../chat/stored-turn.ts";
import type { AnswerPart, Turn } from "../chat/turn.ts";
import { strings } from "../strings/strings.ts";
import { formatShort, readJson } from "../ui/format.ts";

/** Writes a chat as Markdown: each question and each answer, the tools that were called, and the sources. */
export function toMarkdown(title: string, stored: readonly StoredTurn[]): string {
  const turns = stored.map((turn) => fromStoredTurn(turn, { kindOf: () => "agent", urlOf: () => "" }));
  return `${[`# ${oneLine(title)}`, ...turns.flatMap(writeTurn)].join("\n\n")}\n`;
}

/** Writes a chat as JSON: its title, and its turns as the service stores them. */
export function toJson(title: string, sessionId: string, turns: readonly StoredTurn[]): string {
  return `${JSON.stringify({ title, sessionId, turns }, undefined, 2)}\n`;
}

function writeTurn({ name, question, parts, sources, status }: Turn): string[] {
  const files = question.files.map((file) => `- ${strings.exported.file(oneLine(file.name))}`);
  return [
    `## ${strings.exported.you}`,
    ...(question.text === "" ? [] : [question.text]),
    ...(files.length === 0 ? [] : [files.join("\n")]),
    `## ${oneLine(name)}`,
    ...parts.map(writePart).filter((text) => text !== ""),
    ...(sources.length === 0 ? [] : [sources.map(writeSource).join("\n")]),
    ...(status === "interrupted" ? [`*${strings.exported.cut}*`] : []),
  ];
}

function writePart(part: AnswerPart): string {
  if (part.type === "text") return part.text;
  if (part.type !== "tool") return "";
  const { name, args, outcome } = part;
  const failed = outcome?.error === undefined ? "" : strings.exported.failed;
  return `- ${strings.exported.called(codeOf(name), codeOf(formatShort(readJson(args) ?? args, 300)))}${failed}`;
}

/** Writes a text as code in one line, between more backticks than it has in a row. */
function codeOf(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return longest === 0 ? `${fence}${oneLine(text)}${fence}` : `${fence} ${oneLine(text)} ${fence}`;
}

function writeSource({ title, url, id, place }: Source, index: number): string {
  const name = oneLine(title ?? url ?? id);
  const at = place === undefined ? "" : `, ${oneLine(place)}`;
  return `${index + 1}. ${name}${at}${url === undefined ? "" : ` <${url.replaceAll(/[\s<>]/g, (sign) => encodeURIComponent(sign))}>`}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
