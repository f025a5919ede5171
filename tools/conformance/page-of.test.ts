import { expect, it } from "vitest";
import { pageOf } from "./page-of.ts";

it("pageOf lists the tests of each group by their titles, without the rules that they name", () => {
  const cases = [
    { ancestorTitles: ["the client 1.0"], title: "sends a message [a2a.send] [a2a.sdk-clients]", status: "passed" },
    { ancestorTitles: ["the client 0.2"], title: "sends a message [a2a.send]", status: "passed" },
    { ancestorTitles: ["the client 1.0"], title: "reads [a list] of Größen", status: "passed" },
  ];
  const page = pageOf({ title: "A2A", means: "With clients.", limits: ["gRPC."] }, cases, "2026-11-30");

  expect(page).toBe(
    [
      "# Conformance: A2A",
      "This page is written by `pnpm conformance`, which runs the tests that it lists, and writes nothing if one fails.",
      "3 tests passed on 2026-11-30. With clients.",
      "## The client 1.0\n\n- sends a message\n- reads [a list] of Größen",
      "## The client 0.2\n\n- sends a message",
      "## Not shown by these tests\n\n- gRPC.",
      "",
    ].join("\n\n"),
  );
});
