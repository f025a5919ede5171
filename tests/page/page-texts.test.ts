import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { expect, it } from "vitest";

const client = join(import.meta.dirname, "../../packages/page/client");

/** Attributes whose texts are seen or read aloud. Components take texts by the same names. */
const shownAttributes =
  /^(?:aria-(?:label|description|placeholder|valuetext)|alt|any|label|missing|name|placeholder|title)$/;
/** Attributes by these names that are no texts. */
const hiddenValues = /^(?:[a-z]+|[a-z]+(?:-[a-z]+)+)$/;
/** A sentence, or a word that begins one. */
const prose = /^\p{Lu}\p{Ll}+(?:[ .:…,]|$)|\p{L}{2,} \p{L}{2,} \p{L}{2,}/u;
/** Words by which the page is programmed (keys, and the type of what is dragged), and names of vendors. */
const known = new Set(["Enter", "Escape", "Files", "OpenAI", "Anthropic", "Google", "noopener noreferrer nofollow"]);

type Node = { readonly type: string; readonly start: number; readonly [field: string]: unknown };

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}

/** Returns the literals of a text that an expression may give: those in its branches, and its own. */
function literalsOf(node: unknown): string[] {
  if (!isNode(node)) return [];
  const fields: Record<string, readonly string[]> = {
    ConditionalExpression: ["consequent", "alternate"],
    LogicalExpression: ["left", "right"],
    JSXExpressionContainer: ["expression"],
    ParenthesizedExpression: ["expression"],
  };
  if (node.type === "Literal") return typeof node["value"] === "string" ? [node["value"]] : [];
  if (node.type === "TemplateLiteral") return [templateText(node)];
  return (fields[node.type] ?? []).flatMap((field) => literalsOf(node[field]));
}

function templateText({ quasis }: Node): string {
  return (quasis as { value: { raw: string } }[]).map(({ value }) => value.raw).join(" ");
}

const hasWord = (text: string): boolean => /\p{L}{2}/u.test(text);

/** Returns the texts that a node itself shows. `isChild`: it is not the value of an attribute. */
function shownBy(node: Node, isChild: boolean): readonly string[] {
  switch (node.type) {
    case "JSXText":
      return [String(node["value"])];
    case "JSXExpressionContainer":
      return isChild ? literalsOf(node) : [];
    case "JSXAttribute": {
      const isShown = shownAttributes.test(String((node["name"] as Node)["name"]));
      return isShown ? literalsOf(node["value"]).filter((text) => !hiddenValues.test(text)) : [];
    }
    case "Literal":
    case "TemplateLiteral":
      return literalsOf(node).filter((text) => prose.test(text.trim()) && !known.has(text));
    default:
      return [];
  }
}

const unseen = new Set(["ImportDeclaration", "ImportExpression", "TSLiteralType"]);

/** Returns the texts of a source that a visitor would see and that no table of texts has. */
function findTexts(name: string, source: string): string[] {
  const found = new Set<string>();
  const visit = (node: unknown, isChild: boolean): void => {
    if (Array.isArray(node)) for (const each of node) visit(each, isChild);
    if (!isNode(node) || unseen.has(node.type)) return;
    for (const text of shownBy(node, isChild)) if (hasWord(text)) found.add(`${name}: ${text.trim()}`);
    for (const value of Object.values(node)) visit(value, node.type !== "JSXAttribute");
  };
  visit(parseSync(name, source).program, true);
  return [...found];
}

/** The sources of the page, without tests and without the tables of texts themselves. */
const sources = readdirSync(client, { recursive: true, encoding: "utf8" }).filter(
  (name) => /\.tsx?$/.test(name) && !/\.test\.ts$|(?:^|\/)test\/|^strings\//.test(name),
);

it("the page has no text outside the tables of its languages [page.languages]", () => {
  expect(sources.length).toBeGreaterThan(80);
  expect(sources.flatMap((name) => findTexts(name, readFileSync(join(client, name), "utf8")))).toEqual([]);
});

it.each([
  [`<p>Hello</p>`, ["Hello"]],
  [`<p>{ok ? "yes it is" : name}</p>`, ["yes it is"]],
  [`<p>{ok && \`\${count} rows\`}</p>`, ["rows"]],
  [`<a title="To the newest" href="#/x" class="quiet close" />`, ["To the newest"]],
  [`<a aria-label={ok ? "Pin it" : strings.pin} />`, ["Pin it"]],
  [`<Fact name="Took it">{value}</Fact>`, ["Took it"]],
  [`<Icon name="chevron" />`, []],
  [`<p class="muted empty">{strings.none}</p>`, []],
  [`const words = { done: "Is done" }`, ["Is done"]],
  ["throw new Error(`The file ${name} is gone`)", ["The file   is gone"]],
  [`if (event.key === "Enter") go("sessionStorage")`, []],
])("a text in %j is found", (source, texts) => {
  expect(findTexts("a.tsx", source)).toEqual(texts.map((text) => `a.tsx: ${text}`));
});
