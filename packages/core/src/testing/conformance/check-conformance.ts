/** A conformance suite for `checkConformance`: test cases by title, each run with a fresh subject. */
export type ConformanceCases<Subject> = Readonly<Record<string, (subject: Subject) => Promise<void> | void>>;

/** Function that declares one test: `it` of vitest, `test` of node:test. */
export type DeclareTest = (title: string, body: () => Promise<void>) => unknown;

/** The functions that create and dispose of the implementation under test, and the cases that it is known to fail. */
export type ConformanceSubject<Subject, Title extends string> = {
  create: () => Subject | Promise<Subject>;
  dispose?: (subject: Subject) => Promise<void> | void;
  /**
   * Cases that are expected to fail, each with its reason. It is an error if such a case passes or is not in the suite.
   */
  knownGaps?: Partial<Record<Title, string>>;
};

/**
 * Declares one test for each case of a suite, each with its own subject. The tests show that an implementation keeps
 * the contract of an interface. Throws immediately for a known gap that is not in the suite or has no reason.
 */
export function checkConformance<Subject, Title extends string>(
  declareTest: DeclareTest,
  cases: Readonly<Record<Title, (subject: Subject) => Promise<void> | void>>,
  subject: ConformanceSubject<Subject, NoInfer<Title>>,
): void {
  checkGaps(Object.keys(cases), subject.knownGaps);
  for (const title of Object.keys(cases) as Title[]) {
    const gap = subject.knownGaps?.[title];
    const run = async () => await checkOne(cases[title], subject);
    if (gap === undefined) declareTest(title, async () => await expectPass(run, title));
    else declareTest(`${title} (known gap: ${gap})`, async () => await expectGap(run, title));
  }
}

/** Throws for a known gap of a suite that is misspelt or has no reason. */
function checkGaps(titles: readonly string[], knownGaps: Readonly<Record<string, string | undefined>> = {}): void {
  for (const [title, reason] of Object.entries(knownGaps)) {
    if (!titles.includes(title)) {
      throw new Error(`knownGaps names "${title}", which is no case of this suite. Its cases: ${titles.join(" · ")}.`);
    }
    if (reason?.trim() === "") {
      throw new Error(
        `The known gap "${title}" has no reason. Expected a sentence that says why the case cannot pass.`,
      );
    }
  }
}

async function checkOne<Subject>(
  check: (subject: Subject) => Promise<void> | void,
  { create, dispose }: ConformanceSubject<Subject, string>,
): Promise<void> {
  const subject = await create();
  try {
    await check(subject);
  } finally {
    await dispose?.(subject);
  }
}

async function expectPass(run: () => Promise<void>, title: string): Promise<void> {
  try {
    await run();
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    const sentence = `Expected a subject that ${title}, but: ${message.replace(/\.$/, "")}.`;
    throw new Error(`${sentence} Mend it, or name the case in knownGaps: { "${title}": "a reason" }.`, { cause });
  }
}

async function expectGap(run: () => Promise<void>, title: string): Promise<void> {
  const failed = await run().then(
    () => false,
    () => true,
  );
  if (!failed) throw new Error(`The known gap "${title}" passes. Remove it from knownGaps.`);
}
