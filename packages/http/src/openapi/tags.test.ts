import { expect, it } from "vitest";
import { counter, desk, talker } from "../../test/runnables.ts";
import { generateOpenAPISpec } from "./generate-open-api-spec.ts";

it("the document declares each tag that an operation names", () => {
  const { paths, tags } = generateOpenAPISpec({
    agents: { a: talker() },
    teams: { t: desk() },
    workflows: { w: counter() },
  });
  const named = Object.values(paths).flatMap((path) => Object.values(path).flatMap((operation) => operation.tags));

  expect(tags.map(({ name }) => name)).toEqual(expect.arrayContaining(named));
});
