/** A mistake in a file of its own, and what the linter says of it. */
interface CarelessFile {
  readonly title: string;
  readonly name: string;
  readonly text: string;
  readonly says: string;
}

const lines = (count: number, line: string): string => `${line}\n`.repeat(count);

/** Code that the linter must not let pass. */
export const carelessCode: readonly CarelessFile[] = [
  {
    title: "an `any`",
    name: "written-any",
    text: "export const planted = (value: any): unknown => value;",
    says: "no-explicit-any",
  },
  {
    title: "an `any` that was received",
    name: "received-any",
    text: "export const planted = (text: string): string => JSON.parse(text);",
    says: "no-unsafe-return",
  },
  {
    title: "a floating promise",
    name: "floating-promise",
    text: "export function planted(work: () => Promise<void>): void {\n  work();\n}",
    says: "no-floating-promises",
  },
  {
    title: "a misused promise",
    name: "misused-promise",
    text: "export const planted = (work: Promise<boolean>): number => (work ? 1 : 2);",
    says: "no-misused-promises",
  },
  {
    title: "a switch that forgets a case",
    name: "open-switch",
    text: 'export function planted(side: "left" | "right"): void {\n  switch (side) {\n    case "left":\n  }\n}',
    says: "switch-exhaustiveness-check",
  },
  {
    title: "a file of more than 300 lines",
    name: "long-file",
    text: `export const planted = [\n${lines(299, "  1,")}];`,
    says: "max-lines",
  },
  {
    title: "a function of more than 50 lines",
    name: "long-function",
    text: `export function planted(sum: number): number {\n  let all = sum;\n${lines(48, "  all += sum;")}  return all;\n}`,
    says: "max-lines-per-function",
  },
  {
    title: "a word to the console",
    name: "console",
    text: 'export const planted = (): void => console.log("planted");',
    says: "no-console",
  },
  {
    title: "a default export",
    name: "default-export",
    text: "export default 1;",
    says: "no-default-export",
  },
];
