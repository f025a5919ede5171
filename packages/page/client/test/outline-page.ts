import { FakeElement } from "./fake-page.ts";

/** Attributes that affect only the look, or that are the same for all elements of their kind. */
const unseen = new Set(["class", "viewBox", "focusable"]);

/** Writes an element and all below it: names, attributes, events that it listens to, and texts. */
export function outlinePage(element: FakeElement): string {
  const outline = element.childNodes.map((node) => outlineNode(node, "")).join("\n");
  // Long texts of tests repeat one character; the last digits of a place are not seen.
  return outline
    .replaceAll(/([^ ])\1{19,}/gu, (run, character: string) => `${character}{${run.length}}`)
    .replaceAll(/\d+\.\d{4,}/g, (place) => Number(place).toFixed(3));
}

/** Returns the lines that an outline has lost and gained, between the lines that have stayed. */
export function changeOf(before: string, after: string): string {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const first = now.findIndex((line, index) => line !== old[index]);
  const start = first === -1 ? now.length : first;
  let same = 0;
  while (same < Math.min(old.length, now.length) - start && old.at(-1 - same) === now.at(-1 - same)) same += 1;
  const lost = old.slice(start, old.length - same).map((line) => `- ${line}`);
  const gained = now.slice(start, now.length - same).map((line) => `+ ${line}`);
  return [...lost, ...gained].join("\n");
}

function outlineNode(node: FakeElement["childNodes"][number], indent: string): string {
  if (!(node instanceof FakeElement)) return `${indent}${JSON.stringify(node.text)}`;
  const { localName, childNodes } = node;
  if (localName === "svg") return `${indent}${outlineIcon(node)}`;
  const head = [localName, ...partsOf(node)].join(" ");
  const [only, ...more] = childNodes;
  if (only === undefined) return indent + head;
  if (more.length === 0 && !(only instanceof FakeElement)) return `${indent}${head} ${JSON.stringify(only.text)}`;
  return [indent + head, ...childNodes.map((child) => outlineNode(child, `${indent}  `))].join("\n");
}

function partsOf({ attributes, style, listensTo, calls, value }: FakeElement): string[] {
  const shown = Object.entries(attributes).filter(([name]) => !unseen.has(name));
  return [
    ...shown.map(([name, given]) => `${name}=${JSON.stringify(given)}`),
    ...Object.entries(style).map(([name, given]) => `${name}:${JSON.stringify(given)}`),
    ...(value === undefined || value === "" ? [] : [`value:${JSON.stringify(value)}`]),
    ...listensTo.map((type) => `@${type}`),
    ...calls.map((call) => `${call}()`),
  ];
}

/** Writes an icon as the beginning of its first shape, which differs from those of all others, and its size. */
function outlineIcon({ attributes, childNodes }: FakeElement): string {
  const first = childNodes.find((node) => node instanceof FakeElement);
  const shape = String(first?.attributes["d"] ?? first?.attributes["r"]).slice(0, 20);
  return `icon ${shape} ${String(attributes["width"])}x${String(attributes["height"])} ${String(attributes["aria-hidden"])}`;
}
