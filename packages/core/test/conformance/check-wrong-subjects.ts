import { strict as assert } from "node:assert";
import { TroupeError } from "../../src/errors/troupe-error.ts";
import type { DeclareTest } from "../../src/testing/conformance/check-conformance.ts";

/** For each case a subject that is wrong in what the case is about. */
export type WrongSubjects<Subject, Cases> = Readonly<Record<keyof Cases, () => Subject | Promise<Subject>>>;

/** Declares one test per case: it must fail on its wrong subject, and for what it asserts. */
export function checkWrongSubjects<Subject, Title extends string>(
  declareTest: DeclareTest,
  cases: Readonly<Record<Title, (subject: Subject) => Promise<void> | void>>,
  wrong: WrongSubjects<Subject, Record<NoInfer<Title>, unknown>>,
): void {
  for (const title of Object.keys(cases) as Title[]) {
    declareTest(`notices what is wrong: ${title}`, async () => {
      const subject = await wrong[title]();
      await assert.rejects(async () => await cases[title](subject), isVerdict);
    });
  }
}

/** What the case asserts or the subject says of itself; anything else is an accident of the test. */
function isVerdict(error: unknown): boolean {
  return error instanceof assert.AssertionError || TroupeError.is(error);
}
