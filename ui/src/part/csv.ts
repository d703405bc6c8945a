// Tables as files. A cell that a spreadsheet would take for a formula is quoted.
const cell = (value: unknown): string => { const text = String(value ?? ""); return `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`; };

export const csvOf = (rows: unknown[][]): string => rows.map((row) => row.map(cell).join(",")).join("\r\n");

/** Offers a text as a file. */
export function save(name: string, type: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export const saveCsv = (name: string, rows: unknown[][]): void => save(`courant-${name}.csv`, "text/csv", csvOf(rows));
