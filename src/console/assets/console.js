// What the pages gain where script runs. Every action works without it: it adds no step, sends nothing, keeps nothing.

/**
 * @template {HTMLElement} E
 * @param {string} selector
 * @param {new () => E} kind
 * @param {ParentNode} [within]
 * @returns {E[]}
 */
const all = (selector, kind, within = document) =>
  /** @type {E[]} */ ([...within.querySelectorAll(selector)].filter(element => element instanceof kind))

/** "Copy" beside a value. Without a clipboard (a page that came neither over https nor from this computer) there is none. */
function copyButton(/** @type {HTMLButtonElement} */ button) {
  const value = document.getElementById(button.dataset['copy'] ?? '')
  if (!value || !navigator.clipboard) return
  const said = button.parentElement?.querySelector('[role="status"]')
  button.hidden = false
  button.addEventListener('click', async () => {
    let outcome = 'Copied'
    try {
      await navigator.clipboard.writeText(value.textContent ?? '')
    } catch {
      getSelection()?.selectAllChildren(value)
      outcome = 'Selected: copy it with your keyboard'
    }
    if (said) said.textContent = outcome
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

/** UTC becomes the viewer's own time, in the form that the server writes times in; UTC stays in the title. */
function tellLocally(/** @type {HTMLTimeElement} */ time) {
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

/** A list of checkboxes: a long one is narrowed by typing; "All" and "None" mean what is shown. */
function choiceTools(/** @type {HTMLFieldSetElement} */ list) {
  const [tools] = all('.choice-tools', HTMLElement, list)
  const [filter] = all('[data-filter]', HTMLInputElement, list)
  const [count] = all('[data-count]', HTMLElement, list)
  if (!tools || !count) return
  const rows = all('li', HTMLLIElement, list).map(row => ({
    row,
    // By its name alone: what stands beside it is about the choice, not the thing.
    text: (row.querySelector('label')?.textContent ?? '').toLowerCase(),
    boxes: all('input', HTMLInputElement, row),
  }))
  const tell = () => {
    const picked = rows.filter(({ boxes }) => boxes.some(box => box.checked)).length
    const shown = rows.filter(({ row }) => !row.hidden).length
    count.textContent = `${picked} of ${rows.length} picked${shown < rows.length ? `, ${shown} shown` : ''}`
  }
  filter?.addEventListener('input', () => {
    const words = filter.value.toLowerCase().split(/\s+/)
    for (const { row, text } of rows) row.hidden = !words.every(word => text.includes(word))
    tell()
  })
  // It is no field of the form: Enter must not send what the list is for.
  filter?.addEventListener('keydown', event => event.key === 'Enter' && event.preventDefault())
  // Where the page itself answers these, it need not be asked.
  for (const button of all('[data-find]', HTMLButtonElement, list)) button.hidden = true
  for (const button of all('[data-tick]', HTMLButtonElement, list)) {
    button.addEventListener('click', event => {
      event.preventDefault()
      for (const box of rows.filter(({ row }) => !row.hidden).flatMap(({ boxes }) => boxes)) {
        box.checked = button.dataset['tick'] === 'all'
      }
      tell()
    })
  }
  list.addEventListener('change', tell)
  tools.hidden = false
  tell()
}

/** Sent twice, the answer to the first would be lost on the way. */
function sendOnce(/** @type {HTMLFormElement} */ form) {
  let sent = false
  form.addEventListener('submit', event => {
    if (sent) event.preventDefault()
    sent = true
  })
  // The page as it was, brought back by the Back button.
  addEventListener('pageshow', () => {
    sent = false
  })
}

all('button[data-copy]', HTMLButtonElement).forEach(copyButton)
all('form[data-once]', HTMLFormElement).forEach(sendOnce)
all('[data-choices]', HTMLFieldSetElement).forEach(choiceTools)
all('time[data-local]', HTMLTimeElement).forEach(tellLocally)
for (const zone of all('[data-local-zone]', HTMLElement)) {
  zone.textContent = localTime.resolvedOptions().timeZone.replaceAll('_', ' ')
}
