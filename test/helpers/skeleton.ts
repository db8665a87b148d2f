/**
 * A page without its words: what axe judges is the same for two pages that differ in nothing else. Of entries that
 * repeat, such as the rows of a table, one stands for all. Evaluated in the browser.
 */
export const skeleton = `(() => {
  const kept = /^(class|style|role|type|lang|open|hidden|checked|disabled|selected|readonly|required|scope|rel|tabindex|autocomplete|aria-(?!label|describedby).*)$/
  const references = /^(for|form|list|aria-(labelledby|describedby|controls|owns))$/
  const ids = [...document.querySelectorAll('[id]')].map(element => element.id)
  const resolves = value => value.split(/\\s+/).every(id => ids.includes(id))
  const attribute = ({ name, value }) =>
    name + '=' + (kept.test(name) ? value : references.test(name) ? resolves(value) : value.trim() !== '')
  const shape = node => {
    if (node.nodeType === Node.TEXT_NODE) return node.data.trim() === '' ? '' : 'text'
    if (node.nodeType !== Node.ELEMENT_NODE) return ''
    const attributes = [...node.attributes].map(attribute).sort().join(' ')
    const children = [...node.childNodes].map(shape).filter(Boolean)
    const distinct = children.filter((child, i) => child !== children[i - 1])
    return '<' + node.localName + ' ' + attributes + '>' + distinct.join('') + '</>'
  }
  return (ids.length - new Set(ids).size) + ' ' + innerWidth + ' ' + shape(document.documentElement)
})()`
