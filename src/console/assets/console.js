// Small conveniences. Every action works without this script; it sends nothing and stores nothing.

/**
 * @template {HTMLElement} E
 * @param {string} selector
 * @param {new () => E} kind
 * @param {ParentNode} [within]
 * @returns {E[]}
 */
const all = (selector, kind, within = document) =>
  /** @type {E[]} */ ([...within.querySelectorAll(selector)].filter(element => element instanceof kind))

/** Shows "Copy" beside a value where the browser offers the clipboard: over https and on localhost. */
function copyButton(/** @type {HTMLButtonElement} */ button) {
  const value = document.getElementById(button.dataset['copy'] ?? '')
  if (!value || !navigator.clipboard) return
  const status = button.parentElement?.querySelector('[role="status"]')
  button.hidden = false
  button.addEventListener('click', async () => {
    let outcome = 'Copied'
    try {
      await navigator.clipboard.writeText(value.textContent ?? '')
    } catch {
      getSelection()?.selectAllChildren(value)
      outcome = 'Selected: copy it with your keyboard'
    }
    if (status) status.textContent = outcome
  })
}

const localTime = new Intl.DateTimeFormat('en-US', {
  hourCycle: 'h23',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
})

/** Replaces a UTC time by the viewer's local time in the server's format; the title keeps UTC. */
function showLocalTime(/** @type {HTMLTimeElement} */ time) {
  const parts = localTime.formatToParts(new Date(time.dateTime))
  /** @param {Intl.DateTimeFormatPartTypes} type */
  const part = type => parts.find(one => one.type === type)?.value ?? ''
  const precision = time.dataset['local']
  const seconds = precision === 'second' ? `:${part('second')}` : ''
  const clock = precision === 'day' ? '' : `, ${part('hour')}:${part('minute')}${seconds}`
  const zone = clock !== '' && 'named' in time.dataset ? ` ${part('timeZoneName')}` : ''
  time.title = `${time.dateTime.slice(0, 19).replace('T', ' ')} UTC`
  time.textContent = `${part('day')} ${part('month')} ${part('year')}${clock}${zone}`
}

/** Without case and accents, as the server searches. @param {string} text */
const fold = text =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]+/g, '')
    .toLowerCase()
    .replaceAll('ς', 'σ')

/** Filters a list of checkboxes while the person types; "All" and "None" apply to the boxes that are shown. */
function choiceTools(/** @type {HTMLFieldSetElement} */ list) {
  const [tools] = all('.choice-tools', HTMLElement, list)
  const [filter] = all('[data-filter]', HTMLInputElement, list)
  const [count] = all('[data-count]', HTMLElement, list)
  if (!tools || !count) return
  const rows = all('li', HTMLLIElement, list).map(row => ({
    row,
    // The label alone: the hint beside it is not part of the name.
    text: fold(row.querySelector('label')?.textContent ?? ''),
    boxes: all('input', HTMLInputElement, row),
  }))
  const showCount = () => {
    const picked = rows.filter(({ boxes }) => boxes.some(box => box.checked)).length
    const shown = rows.filter(({ row }) => !row.hidden).length
    count.textContent = `${picked} of ${rows.length} picked${shown < rows.length ? `, ${shown} shown` : ''}`
  }
  filter?.addEventListener('input', () => {
    const words = fold(filter.value).split(/\s+/)
    for (const { row, text } of rows) row.hidden = !words.every(word => text.includes(word))
    showCount()
  })
  // Enter in the filter must not send the form.
  filter?.addEventListener('keydown', event => event.key === 'Enter' && event.preventDefault())
  // The script does what these buttons ask of the server.
  for (const button of all('[data-find]', HTMLButtonElement, list)) button.hidden = true
  for (const button of all('[data-tick]', HTMLButtonElement, list)) {
    button.addEventListener('click', event => {
      event.preventDefault()
      for (const box of rows.filter(({ row }) => !row.hidden).flatMap(({ boxes }) => boxes)) {
        box.checked = button.dataset['tick'] === 'all'
      }
      showCount()
    })
  }
  list.addEventListener('change', showCount)
  tools.hidden = false
  showCount()
}

/** A second submission would make the browser drop the answer to the first. */
function sendOnce(/** @type {HTMLFormElement} */ form) {
  let sent = false
  form.addEventListener('submit', event => {
    if (sent) event.preventDefault()
    sent = true
  })
  // The Back button may restore the page with its script state.
  addEventListener('pageshow', () => {
    sent = false
  })
}

/** The hour of UTC that a chart's label begins with, in the viewer's time zone. */
function showLocalHour(/** @type {Element} */ label) {
  const parts = localTime.formatToParts(new Date(label.getAttribute('data-local-hour') ?? ''))
  /** @param {Intl.DateTimeFormatPartTypes} type */
  const part = type => parts.find(one => one.type === type)?.value ?? ''
  label.textContent = (label.textContent ?? '').replace(/^\d\d:\d\d/, `${part('hour')}:${part('minute')}`)
}

document.querySelectorAll('[data-local-hour]').forEach(showLocalHour)
all('button[data-copy]', HTMLButtonElement).forEach(copyButton)
all('form[data-once]', HTMLFormElement).forEach(sendOnce)
all('[data-choices]', HTMLFieldSetElement).forEach(choiceTools)
all('time[data-local]', HTMLTimeElement).forEach(showLocalTime)
for (const zone of all('[data-local-zone]', HTMLElement)) {
  zone.textContent = localTime.resolvedOptions().timeZone.replaceAll('_', ' ')
}
