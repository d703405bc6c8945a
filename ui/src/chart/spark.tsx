// A row of small bars: how many per week.
export function Spark({ values, label }: { values: number[]; label?: string }) {
  const high = Math.max(1, ...values);
  return <svg class="spark" width={values.length * 4} height="14" role={label ? "img" : undefined} aria-label={label} aria-hidden={label ? undefined : true}>{values.map((value, at) => { const height = Math.max(1.5, (value / high) * 13); return <rect key={at} x={at * 4} y={14 - height} width="3" height={height} fill="currentColor" />; })}</svg>;
}
