import { Component } from "preact";
import { CodeBlock } from "../ui/code-block.tsx";
import { memo } from "../ui/memo.tsx";
import { parseMarkdown } from "./blocks.ts";
import type { Block } from "./blocks.ts";
import type { Inline } from "./inline.ts";
import { plainLine } from "../ui/unseen.ts";
import { hostBeside } from "./link.ts";
import type { Link } from "./link.ts";
import { strings } from "../strings/strings.ts";

/** A text in Markdown, as elements: no part of it is ever parsed as HTML. */
export const Markdown = memo(({ text }: { text: string }) => (
  <div class="markdown">
    {parseMarkdown(text).map((block, index) => (
      <BlockView key={index} block={block} />
    ))}
  </div>
));

/** A Markdown block. It is rendered again only when it changes: while a text arrives, only the last block changes. */
class BlockView extends Component<{ block: Block }> {
  override shouldComponentUpdate({ block }: { block: Block }): boolean {
    return JSON.stringify(block) !== JSON.stringify(this.props.block);
  }

  override render({ block }: { block: Block }) {
    return showBlock(block);
  }
}

function showBlocks(blocks: readonly Block[]) {
  const [first, ...others] = blocks;
  // Text that is followed only by lists, as in a short list item, needs no paragraph element.
  if (first?.type === "paragraph" && others.every(({ type }) => type === "list")) {
    return [showInlines(first.content), ...others.map((block) => showBlock(block))];
  }
  return blocks.map((block) => showBlock(block));
}

function showBlock(block: Block) {
  switch (block.type) {
    case "paragraph":
      return <p>{showInlines(block.content)}</p>;
    case "heading": {
      // Headings are two levels lower, because the page has its own headings above them.
      const Heading = `h${Math.min(block.level + 2, 6)}` as "h3";
      return <Heading data-level={block.level}>{showInlines(block.content)}</Heading>;
    }
    case "code":
      return <CodeBlock language={block.language} text={block.text} />;
    case "quote":
      return <blockquote>{showBlocks(block.blocks)}</blockquote>;
    case "list":
      return showList(block);
    case "table":
      return showTable(block);
    default:
      return <hr />;
  }
}

function showList({ start, items }: Extract<Block, { type: "list" }>) {
  const shown = items.map((blocks, index) => <li key={index}>{showBlocks(blocks)}</li>);
  return start === undefined ? <ul>{shown}</ul> : <ol start={start}>{shown}</ol>;
}

function showTable({ alignments, head, rows }: Extract<Block, { type: "table" }>) {
  return (
    <div class="table" tabIndex={0} role="group" aria-label={strings.parts.table}>
      <table>
        <thead>
          <tr>
            {head.map((cell, index) => (
              <th key={index} scope="col" data-align={alignments[index]}>
                {showInlines(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, number) => (
            <tr key={number}>
              {row.map((cell, index) => (
                <td key={index} data-align={alignments[index]}>
                  {showInlines(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function showInlines(nodes: readonly Inline[]) {
  return nodes.map((node) => showInline(node));
}

function showInline(node: Inline) {
  switch (node.type) {
    case "text":
      return node.text;
    case "code":
      return <code>{node.text}</code>;
    case "strong":
      return <strong>{showInlines(node.children)}</strong>;
    case "emphasis":
      return <em>{showInlines(node.children)}</em>;
    case "deleted":
      return <del>{showInlines(node.children)}</del>;
    case "link":
      return <ForeignLink link={node.link} text={plainLine(textOf(node.children))} />;
    default:
      return <br />;
  }
}

function textOf(nodes: readonly Inline[]): string {
  return nodes
    .map((node) => {
      if ("text" in node) return node.text;
      return "children" in node ? textOf(node.children) : " ";
    })
    .join("");
}

/** A link to another site, opened in a new tab. Its host is shown if the text differs from the address. */
export function ForeignLink({ link, text }: { link: Link; text: string }) {
  const { href } = link;
  const host = hostBeside(link, text);
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {text.trim() === "" ? href : text}
      {host !== undefined && <span class="host"> ({host})</span>}
    </a>
  );
}
