// The metrics of exports and imports.
import { counter, gauge, labelledSamples, type Family, type Sample } from './prometheus.ts';

/** `ends` counts the exports that ended, by reason. */
export type ExportCounts = {
  readonly running: number;
  readonly bytes: number;
  readonly ends: ReadonlyMap<string, number>;
};
/** `lines` are counted by the status of their result. */
export type ImportCounts = { readonly running: number; readonly lines: ReadonlyMap<number, number> };

export function transferFamilies(exports: ExportCounts, imports: ImportCounts): Family[] {
  return [...exportFamilies(exports), ...importFamilies(imports)];
}

function exportFamilies({ running, bytes, ends }: ExportCounts): Family[] {
  return [
    gauge('orderly_exports_running', 'Exports under way.', running),
    counter('orderly_exports_ended_total', 'Exports that ended, by how.', labelledSamples('reason', ends)),
    counter('orderly_export_bytes_total', 'Bytes of exports that ended.', bytes),
  ];
}

function importFamilies({ running, lines }: ImportCounts): Family[] {
  const samples = Array.from(lines, ([status, count]): Sample => [`{status="${status}"}`, count]);
  return [
    gauge('orderly_imports_running', 'Imports under way.', running),
    counter('orderly_import_lines_total', 'Imported lines, by the status of their result.', samples),
  ];
}
