package search

// field is one part of a document. Each has a range of positions of its own, so that a phrase cannot begin in one field
// and end in the next, and a position tells its field.
type field int

const (
	nameField field = iota
	titleField
	descriptionField
	categoryField
	tagsField
	bodyField
	fieldCount
)

// fieldSize is the room of every field but the body, which comes last and takes the rest. The last position of a field
// stays free.
const fieldSize = 1 << 10

// fieldNames are how a query writes them.
var fieldNames = map[string]field{
	"name": nameField, "title": titleField, "description": descriptionField, "body": bodyField,
}

// weights say how much a word in a field is worth beside one in the body.
var weights = [fieldCount]float64{nameField: 3, titleField: 3, descriptionField: 2, categoryField: 1.5, tagsField: 2, bodyField: 1}

func fieldOf(position uint32) field { return min(field(position/fieldSize), bodyField) }

func (f field) start() uint32 { return uint32(f) * fieldSize }

// room is how many words of a field are indexed.
func (f field) room() uint32 {
	if f == bodyField {
		return HeadSize
	}
	return fieldSize - 1
}
