// The data of the page.

const report = JSON.parse(byId('report').textContent);

const saveJson = () => download(`${fileStem()}.json`, byId('report').textContent.trim() + '\n', 'application/json');
