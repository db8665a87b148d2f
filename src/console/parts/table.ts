import { html } from 'ghtml'

export type Column<Row> = {
  /** Text. On a phone it is shown beside each value. */
  title: string
  /** HTML after the title, in the head only: the zone of a time column. */
  note?: string
  /** For numbers, so that their digits line up. */
  align?: 'end'
  /** This column names the row for screen readers; otherwise the first one does. */
  names?: true
} & ({ text: (row: Row) => string } | { html: (row: Row) => string })

interface Table<Row> {
  /** Text: what the table lists, for screen readers. */
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  /** Many narrow rows: the data behind a chart, a log. */
  dense?: boolean
}

/** A table with so many columns needs a wide screen to be one. */
const manyColumns = 6

/** A cell may break such a word; any other stays whole. The value is HTML. */
const hasLongWord = (value: string): boolean =>
  value
    .replace(/<[^>]*>/g, ' ')
    .split(/[\s-]/)
    .some(word => word.length > 36)

/**
 * On a phone the stylesheet shows each row as a card. The roles are explicit because some browsers drop them when a
 * table is not displayed as one.
 */
export function table<Row>({ caption, columns, rows, dense = false }: Table<Row>): string {
  const naming = columns.find(({ names }) => names) ?? columns[0]
  const alignment = ({ align }: Column<Row>): string => (align === 'end' ? 'class="end"' : '')
  const classes = ({ align }: Column<Row>, value: string): string => {
    const names = [align === 'end' ? 'end' : '', hasLongWord(value) ? 'breaks' : ''].filter(
      name => name !== '',
    )
    return names.length === 0 ? '' : html`class="${names.join(' ')}"`
  }
  const head = (column: Column<Row>): string =>
    html`<th role="columnheader" scope="col" !${alignment(column)}>${column.title}!${column.note ?? ''}</th>`
  const cell = (column: Column<Row>, row: Row): string => {
    const value = 'text' in column ? html`${column.text(row)}` : column.html(row)
    const label = html`data-label="${column.title}"`
    return column === naming
      ? html`<th role="rowheader" scope="row" !${label} !${classes(column, value)}>!${value}</th>`
      : html`<td role="cell" !${label} !${classes(column, value)}>!${value}</td>`
  }
  return html`<table role="table" class="data${dense ? ' dense' : ''}${columns.length >= manyColumns ? ' many' : ''}">
    <caption class="visually-hidden">${caption}</caption>
    <thead role="rowgroup"><tr role="row">!${columns.map(head)}</tr></thead>
    <tbody role="rowgroup">!${rows.map(row => html`<tr role="row">!${columns.map(column => cell(column, row))}</tr>`)}</tbody>
  </table>`
}
