import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";

const descriptors = "/proc/self/fd";

/** Gives this test a temporary folder of its own, and returns a function that lists what is left in it. */
export function watchTemporaryFiles(): () => { named: string[]; open: number } {
  const folder = mkdtempSync(join(tmpdir(), "http-test-"));
  vi.stubEnv("TMPDIR", folder);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  return () => ({ named: readdirSync(folder), open: openUploads() });
}

/** Counts the temporary files of uploads that this process holds open, where the system tells. */
function openUploads(): number {
  if (!existsSync(descriptors)) return 0;
  return readdirSync(descriptors).filter((name) => linkOf(name).includes("troupe-upload-")).length;
}

function linkOf(name: string): string {
  try {
    return readlinkSync(join(descriptors, name));
  } catch {
    return "";
  }
}
