import { existsSync, globSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isAt, readBlocks, root, textOf, titleOf } from "./blocks.ts";
import type { Block } from "./blocks.ts";
import { chatCases } from "./chat-cases.ts";
import { clientCases } from "./client-cases.ts";
import { exceptions } from "./exceptions.ts";
import { httpCases } from "./http-cases.ts";
import { openaiCases } from "./openai-cases.ts";
import { programCases } from "./program-cases.ts";
import { commandsOf } from "./run-text.ts";
import { serveAgents } from "./service.ts";
import type { Served } from "./service.ts";

const pages = ["README.md", ...globSync("docs/{guide,recipes}/*.md", { cwd: root }).toSorted()];
const blocks = pages.flatMap((page) => readBlocks(page));
const cases = [...clientCases, ...openaiCases, ...chatCases, ...httpCases];
const everything = [...cases, ...programCases, ...exceptions];

/**
 * The files that blocks may show. `readme-examples.processes.test.ts` runs the programs in folders of examples, the tests
 * of the others are `tests/third-party`, `projects.processes.test.ts` of `create-troupe`, `tests/docs/platforms.test.ts` and `pnpm test:outside migrations`.
 */
const executed = [
  /^packages\/[\w-]+\/examples\/[\w-]+\.ts$/,
  /^examples\/(?:recipes\/)?[\w-]+\.ts$/,
  /^examples\/recipes\/foreign\/[\w-]+\.mjs$/,
  /^examples\/deploy\/[\w.-]+$/,
  /^packages\/create-troupe\/templates\/[\w/-]+\.ts$/,
  /^tests\/third-party\/[\w.-]+$/,
];

/** Commands that run such a program, and the folder that they stand in. */
const command = /^npx -y pnpm@12 exec node --conditions=@troupe\/source (\S+)$/;

const isExecuted = (file: string): boolean => existsSync(join(root, file)) && executed.some((each) => each.test(file));

/** True for a block that shows a program, runs one, or is the output of one. */
function isOfProgram({ page, file, text, isOutput, language }: Block): boolean {
  if (file !== undefined) return isExecuted(join(dirname(page), file));
  return isOutput || (language === "sh" && commandsOf(text).every((line) => isExecuted(command.exec(line)?.[1] ?? "")));
}

const rest = blocks.filter((block) => !isOfProgram(block));

describe("the blocks of the pages", () => {
  it("are each a program, executed by one case, or an exception", () => {
    const ways = rest.map((block) => [titleOf(block), everything.filter(isAt(block)).length]);

    expect(ways.filter(([, count]) => count !== 1)).toEqual([]);
  });

  it("include one for each case and each exception", () => {
    const stale = everything.filter((each) => rest.every((block) => !isAt(block)(each)));

    expect(stale.map(({ page, begins }) => `${page}: ${begins}`)).toEqual([]);
  });

  it("are not executed if they are new, even with a language or a file of their own", () => {
    const markdown = "```ts\nlet a;\n```\n\n```sh\nnpm run x\n```\n\n```text\n1\n```\n\n```ts ../../README.md\n```\n";

    expect(readBlocks("docs/guide/new.md", markdown).filter(isOfProgram)).toEqual([]);
  });
});

describe("a block", () => {
  let served: Served;
  beforeAll(async () => void (served = await serveAgents()));
  afterAll(async () => await served.close());

  it.each(cases)("of $page does what the page says: $begins", async (each) => {
    await expect(each.run(textOf(each), served)).resolves.toBeUndefined();
  });
});
