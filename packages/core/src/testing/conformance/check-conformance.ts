/** What an implementation promises: titled cases, each run against a fresh subject. */
export type ConformanceCases<Subject> = Readonly<Record<string, (subject: Subject) => Promise<void> | void>>;

/** The runner's way to declare one test: `it` of vitest, `test` of node:test. */
export type DeclareTest = (title: string, body: () => Promise<void>) => unknown;

/** How an implementation is put to the test. */
export type ConformanceSubject<Subject, Title extends string> = {
  create: () => Subject | Promise<Subject>;
  dispose?: (subject: Subject) => Promise<void> | void;
  /** Cases that are known to fail, each with its reason. One that passes is an error: the gap is mended, say so. */
  knownGaps?: Partial<Record<Title, string>>;
};

/** Declares one test per case. */
export function checkConformance<Subject, Title extends string>(
  declareTest: DeclareTest,
  cases: Readonly<Record<Title, (subject: Subject) => Promise<void> | void>>,
  subject: ConformanceSubject<Subject, NoInfer<Title>>,
): void {
  for (const title of Object.keys(cases) as Title[]) {
    const gap = subject.knownGaps?.[title];
    const run = async () => await checkOne(cases[title], subject);
    if (gap === undefined) declareTest(title, run);
    else declareTest(`${title} (known gap: ${gap})`, async () => await expectGap(run, title));
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

async function expectGap(run: () => Promise<void>, title: string): Promise<void> {
  const failed = await run().then(
    () => false,
    () => true,
  );
  if (!failed) throw new Error(`"${title}" holds now: take it out of knownGaps.`);
}
