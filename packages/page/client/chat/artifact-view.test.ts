import { createElement } from "preact";
import { expect, it } from "vitest";
import { showOnPage } from "../test/fake-page.ts";
import { ArtifactView } from "./artifact-view.tsx";

it.each([
  [100, undefined],
  [101, "The first 100 of 101 rows. Save the table to see all."],
])("a table of %i rows is shown up to its bound, and says so: %s", (count, note) => {
  const artifact = { type: "hours", mimeType: "text/csv", data: `x,y${"\n1,é".repeat(count)}` };
  const { body } = showOnPage((props: Parameters<typeof ArtifactView>[0]) => createElement(ArtifactView, props), {
    artifact,
  });

  expect(body.one("tbody").all("tr")).toHaveLength(100);
  expect(body.all("p").map(({ text }) => text)).toEqual(note === undefined ? [] : [note]);
  expect(body.one("Table: hours").attributes["tabIndex"]).toBe("0");
});
